-- Where the jobs of lanes begin: for each lane and each priority the mark for claims, before which no job waits that could run,
-- and whether one is due, or will be in a second.
--
-- As in claim_jobs.sql, a range scan for each lane and priority, and the marks keep it off dead entries. What waits for the
-- end of a running job of its order is passed over: lock_settling_jobs.sql makes it due anew.
--
-- $1 int4[]  lanes
-- $2 timestamptz[]  low-water marks, four a lane (priority 0 to 3): nothing that ran before them is looked for
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
            select true from counterfoil.jobs s where s.order_id = j.order_id and s.state = 'running' limit 1
        ) is null
    order by j.run_at, j.id
    limit 1
) f on true
group by l.lane
