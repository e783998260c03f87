-- One endpoint, whole.
--
-- $1 text  name
select
    s.name, e.url, s.bundle_ids, s.kinds, s.rate, s.in_flight, s.state, s.off_since, s.off_because, s.waiting, s.behind, s.given_up,
    s.unread, s.lag_seconds, s.handled, s.failed, s.failures_in_a_row, s.failing_since, s.last_handled_at, s.last_error,
    s.last_error_at, s.pace, nullif(s.paused_until, '-infinity') as paused_until, s.began_anew_at, s.made_at, s.made_by
from counterfoil.webhook_status s
join counterfoil.webhook_endpoints e on e.name = s.name
where s.name = $1::text
