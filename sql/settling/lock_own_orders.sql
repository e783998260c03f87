-- Locks the orders that payments were made for, where other orders showed them, until the end of this database transaction.
--
-- An order that doesn't come back is held by somebody else: nobody waits here for an order, since payments are locked already.
-- The orders of the batch itself come back.
--
-- $1 text[]  orders
--
-- Idiom: array of ids.
select o.order_id
from counterfoil.orders o
where o.order_id = any (array(select u.order_id from unnest($1::text[]) as u (order_id)))
order by o.order_id
for no key update skip locked
