-- Makes one catch-up due, of nine days, and sets Apple's own limit on Get Notification History.
--
-- $1 text  bundle id    $2 float8  calls a second
with limited as (
    update counterfoil.budgets set calls_per_second = $2::double precision where endpoint = 'get_notification_history'
)
update counterfoil.catch_ups c
set due_at = case when c.bundle_id = $1::text and c.environment = 'production' then now() else 'infinity' end, tried_at = now(),
    held_until = null, whole_at = now() - interval '8 days'
