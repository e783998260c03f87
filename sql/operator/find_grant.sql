-- The order that a transaction was granted to, under this id or another name, and when; no row when the ledger doesn't hold it.
--
-- $1 text  bundle id    $2 text  transaction id    $3 text  environment, or null for either
select o.order_id, g.granted_at
from counterfoil.payment_states s
join counterfoil.payments g on g.order_number = s.paid_order_number
join counterfoil.orders o on o.number = s.paid_order_number
where s.transaction_id = $2::text and s.bundle_id = $1::text and ($3::text is null or s.environment = $3::text)
order by s.environment
