-- An order that counts as refunded although nobody took back the payment that it was granted, or Apple gave it again.
--
-- Idiom: row look-up. Refunded orders are few; a join would read all ids of all grants.
select o.order_id, g.transaction_id, g.environment
from counterfoil.orders o
join counterfoil.grants g on g.order_id = o.order_id
where o.state = 'refunded'
    and (select true from counterfoil.revoked_grants r where r.grant_id = g.id limit 1) is null
limit 100
