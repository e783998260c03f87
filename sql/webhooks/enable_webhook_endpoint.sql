-- Switches an endpoint on: what waits is due, and the feed is read from its cursor, or from a time on.
--
-- $1 int4  endpoint    $2 text  the time, or null
with due as (
    update counterfoil.webhook_events v set next_at = clock_timestamp()
    where v.endpoint = $1::integer and v.next_at < 'infinity'
)
update counterfoil.webhook_endpoints e
set off_since = null, off_because = null, failures = 0, failing_since = null, paused_until = '-infinity', probe_at = '-infinity',
    pace = e.rate, cursor = case when $2::text is null then e.cursor else counterfoil.changes_from($2::text::timestamptz) end
where e.number = $1::integer
returning e.name
