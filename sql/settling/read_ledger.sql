-- What the ledger and the order say about each candidate; one row a candidate, in the order given.
--
-- own_order_id: the order that the payment was made for, if another than the one that shows it; looked for only where $13 is given.
-- is_renewal: it renews a subscription that the account was granted (renewed_account).
-- purchase_reason: who made the purchase, as any proof said it.
-- was_shown_in_time: this account showed it first, for an order made before the payment; looked for only where $13 is given.
--
-- Parameters, an element a candidate: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14.
--
-- Idioms: array of one, offset 0, row look-up.
select
    a.holder_order_id, a.holder_account_id, a.holder_transaction_id, a.refunded_as_of, a.refund_recorded_at,
    a.is_partly_refunded, a.is_addition, a.is_bought_again as original_was_revoked_before, a.is_anothers as is_another_accounts,
    -- An order that the ledger says is paid counts as paid, whatever it says of itself.
    case when own.order_id is null or o.state in ('refunded', 'cancelled') then o.state else 'fulfilled' end as order_state,
    -- Few candidates may pay for another order: the others cost nothing here.
    case when e.paid_at is not null then (
        select w.order_id
        from counterfoil.own_order(
            e.order_id, o.account_id, o.created_at, e.bundle_id, e.product_id, e.product_kind, e.quantity, e.app_account_token,
            e.paid_at) w
    ) end as own_order_id,
    case when e.product_kind = 'auto_renewable' then (
        select r.account_id = o.account_id
        from counterfoil.renewed_account(
            e.bundle_id, e.environment, coalesce(s.original_transaction_id, e.original_transaction_id), e.purchased_at,
            coalesce(e.purchase_reason, s.purchase_reason)) r
    ) end is true as is_renewal,
    coalesce(e.purchase_reason, s.purchase_reason) as purchase_reason,
    case when e.paid_at is not null then (
        select (
            select f.account_id = o.account_id
                and f.created_at <= e.paid_at + (
                    select a.purchase_time_tolerance from counterfoil.apps a where a.bundle_id = any (array[e.bundle_id])
                )
            from counterfoil.orders f
            where f.order_id = any (array[p.shown_by])
        )
        from counterfoil.payments p
        where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
            and p.account_id = o.account_id
    ) end is true as was_shown_in_time
from unnest(
    $1::text[], -- order_id
    $2::text[], -- bundle_id
    $3::text[], -- environment
    $4::text[], -- transaction_id
    $5::text[], -- original_transaction_id
    $6::text[], -- web_order_line_item_id, or null
    $7::timestamptz[], -- purchased_at
    $8::uuid[], -- app_account_token, or null
    $9::text[], -- product_kind
    $10::text[], -- payment_key, or null
    $11::text[], -- product_id
    $12::integer[], -- quantity
    $13::timestamptz[], -- when it was paid, or null if it may not pay for another order
    $14::text[] -- purchase_reason, or null
) with ordinality as e (
    order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, purchased_at,
    app_account_token, product_kind, payment_key, product_id, quantity, paid_at, purchase_reason, place
)
join counterfoil.orders o on o.order_id = any (array[e.order_id])
left join lateral (
    select p.order_id from counterfoil.payments p where p.order_id = any (array[e.order_id]) offset 0
) own on true
-- The ledger's word for the original, and for what stands alone in its period: a proof may not know it.
left join lateral (
    select
        p.original_transaction_id, p.purchase_reason,
        p.additional_reason is not null or p.granted_at is not null and p.payment_key is null as stands_alone
    from counterfoil.payments p
    where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
    offset 0
) s on true
cross join lateral counterfoil.against_grant(
    e.bundle_id, e.environment, e.transaction_id, coalesce(s.original_transaction_id, e.original_transaction_id),
    case when s.stands_alone is not true then e.web_order_line_item_id end,
    case when s.stands_alone is not true then e.payment_key end,
    e.product_kind, e.purchased_at, e.app_account_token, o.account_id, o.app_account_token
) a
order by e.place
