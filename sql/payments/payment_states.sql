-- Private: what became of each payment, derived from the three tables: the one place that says so. Look it up by transaction_id,
-- original_transaction_id, order_number or, of what isn't granted, shown_by_number. It names orders by their numbers.
--
-- - granted: it paid for an order; refunded: and Apple took the whole back;
-- - restored: another name of a payment that was granted;
-- - taken_back: Apple took it back before it was granted;
-- - renewal: a further period of a subscription that its account has;
-- - unclaimed: paid, and not granted.

create or replace view counterfoil.payment_states as
select
    p.transaction_id, p.bundle_id, p.environment, p.original_transaction_id, p.payment_key, p.web_order_line_item_id, p.product_id,
    p.product_kind, p.quantity, p.purchased_at, p.expires_at, p.app_account_token,
    -- Whose a period is that no client showed follows from what is known now.
    case
        when p.order_number is null and p.shown_by_number is null and p.product_kind = 'auto_renewable'
            then counterfoil.account_of_period(p.bundle_id, p.environment, p.transaction_id)
        -- account_now, written out, as below.
        when p.order_number is null then coalesce(
            (select m.account_now from counterfoil.moved_accounts m where m.account_id = p.account_id), p.account_id)
        else w.account_id
    end as account_id,
    p.shown_by_number, p.seen_at, p.reason,
    p.order_number, p.granted_at, p.job_id, coalesce(p.order_number, h.order_number) as paid_order_number,
    w.account_id as paid_account_id,
    coalesce(r.is_whole, false) as is_refunded, coalesce(not r.is_whole, false) as is_partly_refunded, r.share as refunded_share,
    case
        when p.order_number is not null then case when r.is_whole then 'refunded' else 'granted' end
        when h.order_number is not null then 'restored'
        when r.is_whole then 'taken_back'
        when p.reason = 'renewal' then 'renewal'
        -- Told before anybody knew whose the subscription is.
        when p.reason = 'no_order' and p.shown_by_number is null and p.product_kind = 'auto_renewable'
            and counterfoil.renewed_account(
                p.bundle_id, p.environment, p.original_transaction_id, p.purchased_at, p.expires_at, p.purchase_reason,
                p.app_account_token) is not null then 'renewal'
        else 'unclaimed'
    end as state,
    r.occurred_at as refunded_at
from counterfoil.payments p
-- The look-ups of names_of_payment and refund_of_payment, written out: backends and readers read views of this one, and a
-- function would look with their rights, not with the owner's.
left join lateral (
    select n.order_number, n.account_id
    from (
        select g.order_number, g.account_id
        from counterfoil.payments g
        where g.payment_key = p.payment_key and g.bundle_id = p.bundle_id and g.environment = p.environment
            and g.granted_at is not null
            and (
                g.payment_key like 'web_order:%'
                or counterfoil.is_one_payment(
                    p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                    g.product_kind, g.web_order_line_item_id, g.purchased_at)
            )
        union all
        select g.order_number, g.account_id
        from counterfoil.payments g
        where g.original_transaction_id = p.original_transaction_id and g.bundle_id = p.bundle_id and g.environment = p.environment
            and g.original_transaction_id <> g.transaction_id and g.transaction_id <> p.transaction_id and g.granted_at is not null
            and g.purchased_at >= date_trunc('second', p.purchased_at)
            and g.purchased_at < date_trunc('second', p.purchased_at) + interval '1 second'
            and counterfoil.is_one_payment(
                p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                g.product_kind, g.web_order_line_item_id, g.purchased_at)
        union all
        select g.order_number, g.account_id
        from counterfoil.payments g
        where g.web_order_line_item_id = p.web_order_line_item_id and g.bundle_id = p.bundle_id and g.environment = p.environment
            and g.original_transaction_id <> g.transaction_id and g.original_transaction_id = p.original_transaction_id
            and g.transaction_id <> p.transaction_id and g.granted_at is not null
            and date_trunc('second', g.purchased_at) <> date_trunc('second', p.purchased_at)
            and counterfoil.is_one_payment(
                p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                g.product_kind, g.web_order_line_item_id, g.purchased_at)
        union all
        select g.order_number, g.account_id
        from counterfoil.payments g
        where coalesce(p.product_kind, case when p.web_order_line_item_id is not null then 'auto_renewable' end, '')
                <> 'auto_renewable'
            and g.original_transaction_id = p.original_transaction_id and g.bundle_id = p.bundle_id and g.environment = p.environment
            and g.original_transaction_id <> g.transaction_id and g.transaction_id <> p.transaction_id and g.granted_at is not null
            and date_trunc('second', g.purchased_at) <> date_trunc('second', p.purchased_at)
            and counterfoil.is_one_payment(
                p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                g.product_kind, g.web_order_line_item_id, g.purchased_at)
        union all
        select g.order_number, g.account_id
        from counterfoil.payments g
        where p.transaction_id <> p.original_transaction_id and g.transaction_id = p.original_transaction_id
            and g.bundle_id = p.bundle_id and g.environment = p.environment and g.granted_at is not null
            and counterfoil.is_one_payment(
                p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                g.product_kind, g.web_order_line_item_id, g.purchased_at)
        offset 0
    ) n
    -- Not looked up for a granted one.
    where p.order_number is null
    limit 1
) h on true
left join lateral (
    select t.share, t.is_whole, t.occurred_at
    from counterfoil.revocations_in_force t
    where t.original_transaction_id = p.original_transaction_id and t.bundle_id = p.bundle_id and t.environment = p.environment
        and (
            t.transaction_id = p.transaction_id
            or counterfoil.is_one_payment(
                p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                (
                    select n.product_kind from counterfoil.payments n
                    where n.transaction_id = t.transaction_id and n.bundle_id = p.bundle_id and n.environment = p.environment
                ),
                t.web_order_line_item_id, t.purchased_at)
        )
    order by t.share is null, t.as_of desc, t.share desc
    limit 1
) r on true
-- The account of the order that was paid.
left join lateral (
    select coalesce((select m.account_now from counterfoil.moved_accounts m where m.account_id = a.account_id), a.account_id) as account_id
    from (
        select coalesce(
            (
                select t.account_id from counterfoil.moved_orders t
                where t.order_number = coalesce(p.order_number, h.order_number)
            ),
            case when p.order_number is not null then p.account_id else h.account_id end) as account_id
    ) a
) w on true;
comment on view counterfoil.payment_states is 'Private: what became of each payment.';

alter view counterfoil.payment_states owner to counterfoil_owner;
grant select on counterfoil.payment_states to counterfoil_worker, counterfoil_support;
