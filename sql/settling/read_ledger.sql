-- What the ledger and the order say about each candidate; one row a candidate, in the order given.
--
-- Parameters, an element a candidate: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10.
--
-- Idioms: array of one, offset 0.
select
    a.holder_order_id, a.holder_account_id, a.holder_transaction_id, a.is_refunded as is_revoked,
    a.is_partly_refunded, a.is_bought_again as original_was_revoked_before, a.is_anothers as is_another_accounts,
    -- An order that the ledger says is paid counts as paid, whatever it says of itself.
    case when own.order_id is null or o.state in ('refunded', 'cancelled') then o.state else 'fulfilled' end as order_state,
    own.original_transaction_id as order_original_transaction_id
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
    $10::text[] -- payment_key, or null
) with ordinality as e (
    order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, purchased_at,
    app_account_token, product_kind, payment_key, place
)
join counterfoil.orders o on o.order_id = any (array[e.order_id])
left join lateral (
    select p.order_id, p.original_transaction_id from counterfoil.payments p where p.order_id = any (array[e.order_id]) offset 0
) own on true
cross join lateral counterfoil.original_of_payment(
    e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id) s
cross join lateral counterfoil.against_grant(
    e.bundle_id, e.environment, e.transaction_id, s.original_transaction_id, e.web_order_line_item_id, e.payment_key, e.product_kind,
    e.purchased_at, e.app_account_token, o.account_id, o.app_account_token
) a
order by e.place
