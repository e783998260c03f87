-- Has an endpoint told again what happened from a time on, under the same event ids. What waits goes on waiting.
--
-- $1 int4  endpoint    $2 text  the time
update counterfoil.webhook_endpoints e set cursor = counterfoil.changes_from($2::text::timestamptz)
where e.number = $1::integer
returning e.name
