-- An order that still counts as fulfilled although its payment was taken back.
select g.order_id, g.transaction_id, r.occurred_at
from counterfoil.standing_revocations r
join counterfoil.transaction_ids t
    on t.bundle_id = r.bundle_id and t.environment = r.environment and t.transaction_id = r.transaction_id
join counterfoil.grants g on g.id = t.grant_id
join counterfoil.orders o on o.order_id = g.order_id
where o.state = 'fulfilled'
limit 100
