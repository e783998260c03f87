-- Apps of which Apple tells nothing, although their payments are granted: each environment with its grants of the last days.
--
-- $1 int4  days without a notification    $2 int8  grants in these days, from which on it is told
select s.bundle_id, s.environment, g.grants
from counterfoil.notification_silence s
cross join lateral (
    select sum(h.grants)::bigint as grants
    from counterfoil.grants_by_hour h
    where h.hour > now() - make_interval(days => $1::integer) and h.bundle_id = s.bundle_id and h.environment = s.environment
) g
where coalesce(s.last_at, '-infinity') < now() - make_interval(days => $1::integer) and g.grants >= $2::bigint
order by s.bundle_id, s.environment
