-- The changes to an order outside of settlement, oldest first.
--
-- $1 text  order
select e.occurred_at, e.kind, e.who, e.why from counterfoil.order_events e where e.order_id = $1::text order by e.id
