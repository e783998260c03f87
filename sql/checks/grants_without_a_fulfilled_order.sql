-- A payment granted to an order that doesn't say so.
select g.order_id, g.transaction_id, o.state
from counterfoil.grants g
join counterfoil.orders o on o.order_id = g.order_id
where o.state not in ('fulfilled', 'refunded')
limit 100
