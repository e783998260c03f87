-- Switches an endpoint off: the feed keeps its changes. No row: it is off.
--
-- $1 int4  endpoint
update counterfoil.webhook_endpoints e set off_since = now(), off_because = 'operator'
where e.number = $1::integer and e.off_since is null
returning e.name
