-- The account that the nearest earlier period of a subscription names: by its grant, by an order that it answered, or by its token.
-- Part of owner_of_period. Idiom: generic plan.
--
-- An order was answered that was refunded for the period, or is in review because a part of it was refunded.
--
-- tokens, accounts: of the subscription (tokens_of_subscription).
create or replace function counterfoil.owner_before(
    of_bundle text, of_environment text, of_original text, of_purchased_at timestamptz, tokens uuid[], accounts text[]
) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set jit = off
as $$
declare
    others cursor for
        select
            p.transaction_id, p.purchased_at, p.app_account_token,
            case
                when p.granted_at is not null
                    then (select n.account_id from counterfoil.account_now(p.account_id, p.order_number) n)
            end as granted_to
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.purchased_at < of_purchased_at
            -- The index's own condition.
            and (p.granted_at is not null or p.reason in ('refunded', 'partly_refunded'))
        order by p.purchased_at desc;
    period record;
    owner text;
    named text;
    named_at timestamptz;
    borne_at timestamptz;
    is_first boolean := false;
begin
    -- The latest that a token names.
    for place in 1 .. coalesce(cardinality(tokens), 0) loop
        select p.purchased_at into borne_at
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.app_account_token is not null
            and p.app_account_token = tokens[place] and p.purchased_at < of_purchased_at
        order by p.purchased_at desc
        limit 1;
        if found and (borne_at <= named_at) is not true then
            named_at := borne_at;
            owner := accounts[place];
        end if;
    end loop;

    open others;
    loop
        fetch others into period;
        if not found then
            exit when is_first;
            -- The first purchase is the oldest.
            is_first := true;
            select
                p.transaction_id, p.purchased_at, p.app_account_token,
                case
                    when p.granted_at is not null
                        then (select n.account_id from counterfoil.account_now(p.account_id, p.order_number) n)
                end as granted_to
            into period
            from counterfoil.payments p
            where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                and p.purchased_at < of_purchased_at;
            exit when not found;
        end if;
        exit when period.purchased_at < named_at;
        -- A grant says more than the token of the same period.
        named := coalesce(
            period.granted_to,
            counterfoil.account_that_was_answered(of_bundle, of_environment, period.transaction_id),
            case when is_first then accounts[array_position(tokens, period.app_account_token)] end);
        if named is not null then
            -- Of a forgotten account nobody has what comes later, but who shows it.
            owner := case when not counterfoil.is_forgotten(named) then named end;
            exit;
        end if;
    end loop;
    close others;
    return owner;
end
$$;
comment on function counterfoil.owner_before(text, text, text, timestamptz, uuid[], text[]) is
    'Private: the account that the nearest earlier period of a subscription names.';
grant execute on function counterfoil.owner_before(text, text, text, timestamptz, uuid[], text[])
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
