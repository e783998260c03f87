-- Takes the right to probe closed gates that are due for a probe and have a job to probe with. The right of a dead prober
-- expires. No probe is due later than in an hour, and no right lasts longer than this one: a later time was written by a clock
-- that was put back since, and doesn't count.
--
-- $1 float8  seconds that a probe may last
--
-- Idioms: lock first, a range scan for each priority, stable now().
with due as materialized (
    select g.lane
    from counterfoil.gates g
    where g.state = 'closed' and g.closed_by <> 'operator'
        and (g.probe_at <= now() or g.probe_at > now() + interval '2 hours')
        and (
            g.probe_until is null or g.probe_until <= now()
            or g.probe_until > now() + make_interval(secs => 60 + $1::double precision)
        )
        and exists (
            select from generate_series(0, 3) as p (priority)
            cross join lateral (
                select from counterfoil.jobs j
                where j.lane = g.lane and j.priority = p.priority and j.state = 'available' and j.run_at <= now()
                order by j.run_at, j.id
                limit 1
            ) as due
        )
    order by g.lane
    for no key update skip locked
)
update counterfoil.gates g
set probe_until = now() + make_interval(secs => $1::double precision)
from due
where g.lane = due.lane
returning g.lane, g.closed_by, g.failed_probes
