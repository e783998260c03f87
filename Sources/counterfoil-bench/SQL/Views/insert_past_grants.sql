-- The payments of past orders, each with the attempt that granted it.
--
-- $1 text  first order    $2 text  last order    $3 int4  attempts of each order
insert into counterfoil.payments (
    order_number, bundle_id, environment, transaction_id, original_transaction_id, product_id, product_kind, quantity,
    purchased_at, account_id, job_id, seen_at, granted_at, attempt, lease_token, worker_id, submitted_at, claimed_at, proof_kind
)
select
    o.number, o.bundle_id, o.environment, o.transaction_id, o.transaction_id, o.product_id, 'consumable', 1,
    o.created_at, o.account_id, 1, o.fulfilled_at, o.fulfilled_at, $3::integer, $3::integer, 1, o.created_at,
    o.fulfilled_at - interval '0.3 seconds', 'app_receipt'
from counterfoil.orders o
where o.order_id between $1::text and $2::text and o.state in ('fulfilled', 'refunded')
