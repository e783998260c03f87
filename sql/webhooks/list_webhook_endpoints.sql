-- The endpoints and how they fare; without the columns of webhooks show.
select
    s.name, s.state, s.off_because, s.lag_seconds, s.waiting + s.behind as waiting, s.given_up, s.unread, s.handled, s.failed,
    s.last_handled_at, s.last_error_at, s.last_error, e.url
from counterfoil.webhook_status s
join counterfoil.webhook_endpoints e on e.name = s.name
order by s.name
