-- Where the jobs of lanes begin. For each lane and priority: the next low-water mark for claims, before which no job waits that
-- could run, and whether a job is due, or will be within a second.
--
-- A job that waits for a running job of its order is passed over: when that ends, its settlement makes this due anew. Settlements
-- only look for jobs that aren't alone (is_alone). So one that seems alone isn't passed over: a claim tries it, is refused, and
-- corrects the hint.
--
-- $1 int4[]  lanes
-- $2 timestamptz[]  low-water marks, four a lane (priority 0 to 3): no job that was due before its mark is found
--
-- Idioms: a range scan for each priority, low-water mark, stable now(), row look-up.
select
    l.lane, array_agg(least(f.run_at, now()) order by p.priority) as marks,
    array_agg(f.run_at is not null order by p.priority) as in_use
from unnest($1::integer[]) with ordinality as l (lane, place)
cross join generate_series(0, 3) as p (priority)
left join lateral (
    select j.run_at
    from counterfoil.jobs j
    where j.lane = l.lane and j.priority = p.priority and j.state = 'available'
        and j.run_at <= now() + interval '1 second'
        and (j.run_at, j.id) >= (($2::timestamptz[])[(l.place - 1) * 4 + p.priority + 1], 0)
        and (
            j.is_alone
            or (select true from counterfoil.jobs s where s.order_number = j.order_number and s.state = 'running' limit 1) is null
        )
    order by j.run_at, j.id
    limit 1
) f on true
group by l.lane
