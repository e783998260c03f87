-- Locks an endpoint for an operator's act.
--
-- $1 text  name
select e.number, e.off_because, e.off_since from counterfoil.webhook_endpoints e where e.name = $1::text for no key update
