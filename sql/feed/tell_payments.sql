-- Tells the feed of payments that no order has: when one comes to light, and each difference from what was told before. A
-- repetition tells nothing.
--
-- - payment_unclaimed, subscription_renewed: the first word of it;
-- - payment_refunded, payment_refund_reversed: what stands of its refunds;
-- - payment_renamed: a period of a subscription is called otherwise, is another account's, or became an order's. Of other payments
--   the order tells.
--
-- These don't come to light: other names of granted payments, refunded ones, what is older than the ledger; and what this database
-- transaction brought to the order that its token names (upload_found_payments). If that payment is still unclaimed when its job
-- ends, the job tells (tell_brought_payments).
--
-- The payments are locked, or their originals. One may be given twice. Parameters, an element a payment.
--
-- Idioms: generic plan, offset 0.
create or replace function counterfoil.tell_payments(of_bundles text[], of_environments text[], of_ids text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
begin
    with asked as (
        select e.bundle_id, e.environment, e.transaction_id, min(e.place) as place
        from unnest(of_bundles, of_environments, of_ids) with ordinality as e (bundle_id, environment, transaction_id, place)
        group by e.bundle_id, e.environment, e.transaction_id
    ), present as materialized (
        select
            a.place, s.transaction_id, s.bundle_id, s.environment, s.original_transaction_id, s.purchased_at, s.reason,
            (s.product_kind = 'auto_renewable') is true as is_period, s.refunded_share as share, s.is_refunded,
            s.is_refunded or s.is_partly_refunded as refund_stands, s.paid_order_number,
            coalesce(s.paid_account_id, s.account_id) as account_id,
            -- A refund leaves the name.
            case s.state
                when 'refunded' then 'granted' when 'taken_back' then coalesce(t.name, 'unclaimed') else s.state
            end as name,
            t.transaction_id is not null as was_told, t.name as told_name, t.account_id as told_account_id,
            t.share as told_share, t.is_refunded as told_refund_stands
        from asked a
        cross join lateral (
            select s.* from counterfoil.payment_states s
            where s.transaction_id = a.transaction_id and s.bundle_id = a.bundle_id and s.environment = a.environment
            offset 0
        ) s
        left join lateral (
            select t.* from counterfoil.told_payments t
            where t.transaction_id = a.transaction_id and t.bundle_id = a.bundle_id and t.environment = a.environment
            offset 0
        ) t on true
        -- On its way: the refund follows in this database transaction, or the reason is judged anew (settle_payments).
        where not (s.state = 'unclaimed' and s.reason in ('refunded', 'restored'))
            and (
                t.transaction_id is not null
                or s.state in ('unclaimed', 'renewal') and counterfoil.comes_to_light(s.reason)
                and not (
                    s.app_account_token is not null and s.seen_at = now()
                    and exists (
                        select
                        from counterfoil.notifications n
                        join counterfoil.orders o on o.order_id = n.order_id
                        join counterfoil.jobs j on j.order_number = o.number
                        where n.transaction_id = a.transaction_id and n.bundle_id = a.bundle_id and n.environment = a.environment
                            and n.processed_at = now() and j.transaction_id = a.transaction_id and j.found_by is not null
                            and j.state <> 'discarded'
                    )
                )
            )
    ), named as materialized (
        select
            p.*,
            -- A move is told by itself. An import tells nothing: another system has delivered it.
            p.was_told
            and (p.told_name, (select n.account_id from counterfoil.account_now(p.told_account_id) n))
                is distinct from (p.name, p.account_id)
            and not exists (select from counterfoil.imports i where i.database_transaction = pg_current_xact_id()) as renames
        from present p
    ), first_told as (
        insert into counterfoil.told_payments (
            transaction_id, bundle_id, environment, original_transaction_id, purchased_at, name, account_id, share, is_refunded
        )
        select
            n.transaction_id, n.bundle_id, n.environment, n.original_transaction_id, n.purchased_at, n.name, n.account_id, n.share,
            n.refund_stands
        from named n
        where not n.was_told
    ), told_again as (
        update counterfoil.told_payments t
        set name = n.name, account_id = n.account_id, share = n.share, is_refunded = n.refund_stands, xid = pg_current_xact_id()
        from named n
        where n.was_told and t.transaction_id = n.transaction_id and t.bundle_id = n.bundle_id and t.environment = n.environment
    )
    insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason, share, details)
    select c.kind, n.transaction_id, n.environment, n.bundle_id, c.reason, c.share, c.details
    from named n
    cross join lateral (
        select
            1 as step, case n.name when 'renewal' then 'subscription_renewed' else 'payment_unclaimed' end as kind, n.reason, n.share,
            -- Whose a period is may come to light later.
            case when n.is_period and n.account_id is not null then jsonb_build_object('account_id', n.account_id) end as details
        where not n.was_told
        union all
        select
            2, 'payment_renamed', n.reason, null,
            jsonb_strip_nulls(jsonb_build_object(
                'account_id', n.account_id,
                'before', jsonb_build_object('name', n.told_name, 'account_id', n.told_account_id),
                'after', jsonb_build_object(
                    'name', n.name, 'account_id', n.account_id,
                    'order_id', (select o.order_id from counterfoil.orders o where o.number = n.paid_order_number))))
        where n.renames and n.is_period
        union all
        select 2, 'payment_unclaimed', n.reason, n.share, null
        where n.renames and not n.is_period and n.name = 'unclaimed' and n.told_name <> 'unclaimed'
        union all
        -- Of what is an order's, the order tells.
        select
            3, case when n.refund_stands then 'payment_refunded' else 'payment_refund_reversed' end,
            case when n.is_refunded then 'refunded' when n.refund_stands then 'partly_refunded' end, n.share, null
        where n.was_told and n.name in ('unclaimed', 'renewal')
            and (n.told_refund_stands, n.told_share) is distinct from (n.refund_stands, n.share)
    ) c
    order by n.place, c.step;
end
$$;
comment on function counterfoil.tell_payments(text[], text[], text[]) is
    'Private: tells the feed of payments that no order has, and each difference from what was told before.';
grant execute on function counterfoil.tell_payments(text[], text[], text[]) to counterfoil_worker;
