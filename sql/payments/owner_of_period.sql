-- The account to which a period of a subscription belongs, where neither a grant nor its own token says so; null where nobody
-- knows. Nothing depends on the product: Apple keeps the original transaction while plans change.
--
-- A run is a period that was bought, with the renewals after it, each beginning at most sixty days after the end of the one before,
-- up to the next purchase. It is one account's. In this sequence the period belongs to the account
--
-- - to which an earlier order of its run was transferred (account_of_transfer);
-- - for which a token in its run speaks: the nearest earlier one, else the nearest later one;
-- - to which the nearest earlier period belongs, of any run: by its grant, by an order that it answered, or by its token;
-- - to which a later period of its run was granted.
--
-- Never to an account because of a later run. Who only showed it is no owner.
--
-- The period may be unknown to the ledger, so what the proof says of it are parameters. Each step is a look-up, or a walk along the
-- run that ends where the run does. Idioms: generic plan, row look-up. Views call it for their readers.
create or replace function counterfoil.owner_of_period(
    of_bundle text, of_environment text, of_original text, of_purchased_at timestamptz, of_expires_at timestamptz, of_reason text
) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set jit = off
as $$
declare
    longest_gap constant interval := '1440 hours';
    others cursor for
        select p.transaction_id, p.purchased_at, p.expires_at, p.purchase_reason, p.app_account_token
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.purchased_at < of_purchased_at
        order by p.purchased_at desc;
    first record;
    period record;
    has_first boolean;
    -- Those that speak for an account, and for which.
    tokens uuid[];
    accounts text[];
    owner text;
    later_owner text;
    -- Of the period that was looked at last.
    reason text := of_reason;
    begins_at timestamptz := of_purchased_at;
    ends_at timestamptz := of_expires_at;
begin
    owner := counterfoil.account_of_transfer(of_bundle, of_environment, of_original, of_purchased_at, of_reason, null);
    if owner is not null then
        return owner;
    end if;

    select p.transaction_id, p.purchased_at, p.expires_at, p.purchase_reason, p.app_account_token into first
    from counterfoil.payments p
    where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
        and p.purchased_at < of_purchased_at;
    has_first := found;
    select array_agg(t.token), array_agg(t.account_id) into tokens, accounts
    from counterfoil.tokens_of_subscription(of_bundle, of_environment, of_original) t;

    -- Where no earlier period bears one of them, none is looked for.
    if first.app_account_token = any (tokens) or true is not distinct from (
        select true
        from unnest(tokens) as t (token)
        join counterfoil.payments p on p.app_account_token = t.token
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.app_account_token is not null
            and p.purchased_at < of_purchased_at
        limit 1
    ) then
        open others;
        loop
            fetch others into period;
            if not found then
                -- The first purchase is the oldest.
                exit when not has_first;
                has_first := false;
                period := first;
            end if;
            -- Another name of the same period may have the word.
            if date_trunc('second', period.purchased_at) = date_trunc('second', begins_at) then
                reason := coalesce(reason, period.purchase_reason);
            else
                exit when reason is distinct from 'renewal' or begins_at - coalesce(
                    (
                        select w.ends_at from counterfoil.period_ends w
                        where w.transaction_id = period.transaction_id and w.bundle_id = of_bundle
                            and w.environment = of_environment
                    ),
                    period.expires_at) > longest_gap;
                reason := period.purchase_reason;
                begins_at := period.purchased_at;
            end if;
            owner := accounts[array_position(tokens, period.app_account_token)];
            exit when owner is not null;
        end loop;
        close others;
    end if;
    if tokens is null then
        owner := counterfoil.owner_before(of_bundle, of_environment, of_original, of_purchased_at, tokens, accounts);
    end if;
    if owner is not null then
        return owner;
    end if;

    -- Where no later period bears one of them, and none was granted, none is looked for.
    if true is not distinct from (
        select true
        from unnest(tokens) as t (token)
        join counterfoil.payments p on p.app_account_token = t.token
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.app_account_token is not null
            and p.purchased_at > of_purchased_at
        union all
        select true
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.purchased_at > of_purchased_at
            and (p.granted_at is not null or p.reason in ('refunded', 'partly_refunded')) and p.granted_at is not null
        limit 1
    ) then
        begins_at := of_purchased_at;
        for period in
            select
                p.transaction_id, p.purchased_at, p.expires_at, p.purchase_reason, p.app_account_token,
                case
                    when p.granted_at is not null
                        then (select n.account_id from counterfoil.account_now(p.account_id, p.order_number) n)
                end as granted_to
            from counterfoil.payments p
            where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                and p.original_transaction_id <> p.transaction_id and p.purchased_at > of_purchased_at
            order by p.purchased_at
        loop
            if date_trunc('second', period.purchased_at) <> date_trunc('second', begins_at) then
                exit when period.purchase_reason is distinct from 'renewal' or period.purchased_at - ends_at > longest_gap;
                begins_at := period.purchased_at;
            end if;
            ends_at := coalesce(
                (
                    select w.ends_at from counterfoil.period_ends w
                    where w.transaction_id = period.transaction_id and w.bundle_id = of_bundle and w.environment = of_environment
                ),
                period.expires_at, ends_at);
            owner := accounts[array_position(tokens, period.app_account_token)];
            if owner is not null then
                return owner;
            end if;
            if not counterfoil.is_forgotten(period.granted_to) then
                later_owner := coalesce(later_owner, period.granted_to);
            end if;
            exit when tokens is null and later_owner is not null;
        end loop;
    end if;

    if tokens is not null then
        owner := counterfoil.owner_before(of_bundle, of_environment, of_original, of_purchased_at, tokens, accounts);
    end if;
    return coalesce(owner, later_owner);
end
$$;
comment on function counterfoil.owner_of_period(text, text, text, timestamptz, timestamptz, text) is
    'Private: the account to which a period of a subscription belongs, by the other periods.';
grant execute on function counterfoil.owner_of_period(text, text, text, timestamptz, timestamptz, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
