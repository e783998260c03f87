-- Those of the given lanes that hold jobs which are due, or will be in a second.
--
-- As in claim_jobs.sql, a range scan for each lane and priority, and the marks keep it off dead entries.
--
-- $1 int4[]  lanes
-- $2 timestamptz[]  low-water marks, four a lane (priority 0 to 3): nothing that ran before them is looked for
select l.lane
from unnest($1::integer[]) with ordinality as l (lane, place)
where exists (
    select
    from generate_series(0, 3) as p (priority)
    cross join lateral (
        select
        from counterfoil.jobs j
        where j.lane = l.lane and j.priority = p.priority and j.state = 'available'
            and j.run_at <= now() + interval '1 second'
            and (j.run_at, j.id) >= (($2::timestamptz[])[(l.place - 1) * 4 + p.priority + 1], 0)
        limit 1
    ) q
)
