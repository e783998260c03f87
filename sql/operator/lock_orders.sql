-- Locks orders sorted by their ids, as lock_settling_jobs.sql does, for an operator's change.
--
-- $1 text[]  orders
select o.order_id
from counterfoil.orders o
where o.order_id = any ($1::text[])
order by o.order_id
for no key update
