-- An order that still counts as fulfilled although its payment was taken back.
select g.order_id, g.transaction_id, r.occurred_at
from counterfoil.revoked_grants r
join counterfoil.grants g on g.id = r.grant_id
join counterfoil.orders o on o.order_id = g.order_id
where o.state = 'fulfilled'
limit 100
