-- The endpoints in numbers, for a worker's metrics.
select
    count(*) filter (where s.state = 'on') as endpoints_on, count(*) filter (where s.state = 'stopped') as endpoints_stopped,
    count(*) filter (where s.state = 'off' and s.off_because = 'operator') as endpoints_switched_off,
    count(*) filter (where s.state = 'off' and s.off_because <> 'operator') as endpoints_lost,
    coalesce(sum(s.waiting + s.behind), 0)::bigint as waiting, coalesce(sum(s.given_up), 0)::bigint as given_up,
    coalesce(max(s.lag_seconds) filter (where s.off_because is distinct from 'operator'), 0)::double precision as lag
from counterfoil.webhook_status s
