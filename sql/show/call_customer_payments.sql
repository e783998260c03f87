-- Payments of an account, the latest first.
--
-- $1 text  account    $2 int4  the most to list
select
    p.transaction_id, p.state, p.purchased_at, p.product_id, p.quantity, p.order_id, p.refunded_share, p.refunded_at, p.reason,
    p.expires_at, p.original_transaction_id, p.bundle_id, p.environment
from counterfoil.customer_payments($1::text, $2::integer) p
