-- Locks orders in the order of their ids, as lock_settling_jobs.sql does, for what is done to them by hand.
--
-- $1 text[]  orders
select o.order_id
from counterfoil.orders o
where o.order_id = any ($1::text[])
order by o.order_id
for no key update
