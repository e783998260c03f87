-- Locks an order for an operator's change, and returns its row of order_facts; no row when the order isn't known.
--
-- Locks come in the settlement's sequence: this one stands where lock_settling_jobs.sql locks orders, before
-- lock_originals.sql and lock_payments.sql.
--
-- $1 text  order
select f.*, now()
from counterfoil.orders o
join counterfoil.order_facts f on f.order_id = o.order_id
where o.order_id = $1::text
for no key update of o
