-- A grant of another app, product or account than was ordered.
select g.order_id, g.bundle_id, g.product_id, g.account_id
from counterfoil.grants g
join counterfoil.orders o on o.order_id = g.order_id
where (g.bundle_id, g.product_id, g.account_id) is distinct from (o.bundle_id, o.product_id, o.account_id)
limit 100
