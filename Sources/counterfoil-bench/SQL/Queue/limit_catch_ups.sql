-- Apple's own limit on Get Notification History.
--
-- $1 float8  calls a second
update counterfoil.budgets set calls_per_second = $1::double precision where endpoint = 'get_notification_history'
