-- Locks orders, sorted by their ids: for an operator's change, and for a settlement whose grants the ledger refused.
--
-- $1 text[]  orders
select o.order_id
from counterfoil.orders o
where o.order_id = any ($1::text[])
order by o.order_id
for no key update
