-- The payments of an order: the one that was granted, else those that its proofs showed and that were not.
--
-- $1 text  order
select g.bundle_id, g.environment, g.transaction_id, g.original_transaction_id, g.product_id, g.purchased_at, true as is_granted
from counterfoil.grants g
where g.order_id = $1::text
union all
select u.bundle_id, u.environment, u.transaction_id, u.original_transaction_id, u.product_id, u.purchased_at, false
from counterfoil.unclaimed_transactions u
where u.order_id = $1::text and not exists (select from counterfoil.grants g where g.order_id = $1::text)
order by 3
