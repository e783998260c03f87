-- The present state of a subscription, derived from its periods and from what Apple said of them: the one place that says it. No
-- row where nothing is known of it. Nothing depends on the product, and nothing on the order in which things were told.
--
-- - The current period is the latest by its time of purchase that has begun. If it is refunded as a whole, the latest earlier one
--   that stands and still runs is current; if none runs, the refunded one is, and is revoked.
-- - Its end is the newest word (end_of_period). Grace is a value of its own: of the newest renewal info, for the period that had
--   begun when Apple signed it; a later period, a refund, and a newer renewal info without grace end it.
-- - The account is that of the current period (account_of_period); where it belongs to nobody yet, the one that showed it.
-- - A paid period that hasn't begun is the next one. If Apple told of no other, the subscription is active: Apple renews what runs.
-- - Seats that were added to a period are no period; the period stands while the payment of any of its seats does.
--
-- Look-ups, and a walk back over periods of the last two years if the latest is refunded. Idiom: generic plan. Views call it for
-- their readers.
create or replace function counterfoil.subscription_state(of_bundle text, of_environment text, of_original text)
returns table (
    product_id text, account_id text, transaction_id text, purchased_at timestamptz, expires_at timestamptz, status text,
    will_renew boolean, renews_as text, renews_at timestamptz, grace_ends_at timestamptz, expiration_intent integer,
    as_of timestamptz, is_in_billing_retry boolean, access_until timestamptz, next_transaction_id text, next_product_id text,
    next_begins_at timestamptz, next_expires_at timestamptz
)
language plpgsql stable rows 1 security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set jit = off
as $$
#variable_conflict use_column
declare
    others cursor for
        select p.*
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.purchased_at <= now()
            and coalesce(p.product_kind, 'auto_renewable') = 'auto_renewable'
        order by p.purchased_at desc;
    told counterfoil.subscriptions;
    period counterfoil.payments;
    latest counterfoil.payments;
    present counterfoil.payments;
    is_first boolean := false;
    named record;
    upcoming record;
    refund record;
    ends_at timestamptz;
    owner text;
    seats_stand boolean := false;
    is_revoked boolean := false;
    has_latest boolean := false;
    has_present boolean := false;
    has_upcoming boolean := false;
    -- The newest renewal info is about the present period: no later one has begun since.
    is_about_present boolean;
begin
    select s.* into told
    from counterfoil.subscriptions s
    where s.original_transaction_id = of_original and s.bundle_id = of_bundle and s.environment = of_environment;

    open others;
    loop
        fetch others into period;
        if not found then
            exit when is_first;
            -- The first purchase is the oldest. Another period's id names no subscription.
            is_first := true;
            select p.* into period
            from counterfoil.payments p
            where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                and p.original_transaction_id = of_original and p.purchased_at <= now()
                and coalesce(p.product_kind, 'auto_renewable') = 'auto_renewable';
            exit when not found;
        end if;
        exit when has_latest and period.purchased_at < now() - interval '2 years';
        -- Of the others, what doesn't run any more is passed over at once.
        continue when has_latest and (
            counterfoil.end_of_period(
                of_bundle, of_environment, of_original, period.transaction_id, period.product_id, period.purchased_at,
                period.expires_at) > now()
        ) is not true;
        select r.is_whole, r.occurred_at into refund
        from counterfoil.refund_of_payment(
            of_bundle, of_environment, period.transaction_id, of_original, period.web_order_line_item_id, period.product_kind,
            period.purchased_at) r;
        if period.additional_reason is not null and true is not distinct from (
            -- The period that they were added to: the nearest earlier one, if it is of the same product and runs.
            select q.product_id = period.product_id and coalesce(w.ends_at, q.expires_at) > period.purchased_at
            from (
                (
                    select p.transaction_id, p.product_id, p.purchased_at, p.expires_at
                    from counterfoil.payments p
                    where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                        and p.original_transaction_id <> p.transaction_id and p.purchased_at < period.purchased_at
                    order by p.purchased_at desc
                    limit 1
                )
                union all
                select p.transaction_id, p.product_id, p.purchased_at, p.expires_at
                from counterfoil.payments p
                where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                    and p.purchased_at < period.purchased_at
            ) q
            left join counterfoil.period_ends w
                on w.transaction_id = q.transaction_id and w.bundle_id = of_bundle and w.environment = of_environment
            order by q.purchased_at desc
            limit 1
        ) then
            seats_stand := seats_stand or refund.is_whole is not true;
            continue;
        end if;
        if refund.is_whole is not true or seats_stand then
            present := period;
            has_present := true;
            exit;
        end if;
        if not has_latest then
            latest := period;
            has_latest := true;
            ends_at := refund.occurred_at;
        end if;
        seats_stand := false;
    end loop;
    close others;

    select q.transaction_id, q.product_id, q.purchased_at, q.expires_at into upcoming
    from counterfoil.payments q
    where q.original_transaction_id = of_original and q.bundle_id = of_bundle and q.environment = of_environment
        and q.original_transaction_id <> q.transaction_id and q.purchased_at > now()
        and (
            select r.is_whole
            from counterfoil.refund_of_payment(
                of_bundle, of_environment, q.transaction_id, of_original, q.web_order_line_item_id, q.product_kind,
                q.purchased_at) r
        ) is not true
    order by q.purchased_at, q.transaction_id
    limit 1;
    has_upcoming := found;

    if not (has_present or has_latest or has_upcoming) and told.as_of is null then
        return;
    end if;

    is_about_present := (not has_latest and (not has_present or present.purchased_at <= told.as_of)) is true;
    if not has_present and has_latest then
        present := latest;
        is_revoked := true;
    end if;
    will_renew := told.will_renew;
    renews_as := told.renews_as;
    renews_at := told.renews_at;
    expiration_intent := told.expiration_intent;
    as_of := told.as_of;
    if has_present or has_latest then
        transaction_id := present.transaction_id;
        product_id := present.product_id;
        purchased_at := present.purchased_at;
        if present.order_number is null then
            -- Granted under another of its names.
            select n.transaction_id, n.account_id into named
            from counterfoil.names_of_payment(
                of_bundle, of_environment, present.transaction_id, of_original, present.web_order_line_item_id, present.payment_key,
                present.product_kind, present.purchased_at) n
            where n.order_number is not null
            limit 1;
            if found then
                transaction_id := named.transaction_id;
                owner := named.account_id;
            end if;
        end if;
        account_id := coalesce(
            owner, counterfoil.account_of_period(of_bundle, of_environment, present.transaction_id),
            case
                when coalesce(present.shown_by_number, present.order_number) is not null
                    and present.reason is distinct from 'owner_mismatch' then (
                        select n.account_id from counterfoil.account_now(present.account_id, present.order_number) n
                    )
            end);
        expires_at := counterfoil.end_of_period(
            of_bundle, of_environment, of_original, present.transaction_id, present.product_id, present.purchased_at,
            present.expires_at);
    end if;
    if is_about_present then
        grace_ends_at := told.grace_ends_at;
    end if;
    is_in_billing_retry := case when told.as_of is not null then is_about_present and told.is_in_billing_retry is true end;
    access_until := case when is_revoked then least(expires_at, ends_at) else greatest(expires_at, grace_ends_at) end;
    status := case
        when is_revoked then 'revoked'
        when expires_at > now() or not has_present and has_upcoming then 'active'
        when grace_ends_at > now() then 'grace'
        when is_in_billing_retry then 'billing_retry'
        else 'expired'
    end;
    if has_upcoming then
        next_transaction_id := upcoming.transaction_id;
        next_product_id := upcoming.product_id;
        next_begins_at := upcoming.purchased_at;
        next_expires_at := counterfoil.end_of_period(
            of_bundle, of_environment, of_original, upcoming.transaction_id, upcoming.product_id, upcoming.purchased_at,
            upcoming.expires_at);
    end if;
    return next;
end
$$;
comment on function counterfoil.subscription_state(text, text, text) is
    'Private: the present state of a subscription, derived from its periods and from what Apple said of them.';
grant execute on function counterfoil.subscription_state(text, text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
