-- The queue in numbers for a worker's metrics, at a cost that is bounded however many jobs there are.
--
-- $1 int4  the most jobs to count of one state, and of those that wait behind the gates of one kind
--
-- Rows: a measure (jobs, oldest, ahead, bytes), two words for its labels, and a number. "jobs" counts by state and reason;
-- "oldest" is how many seconds the due job that waits for longest has waited, behind open and behind closed gates; "ahead" is how
-- many seconds ahead the most loaded budget of an endpoint and environment is reserved; "bytes" is what a table takes on the disk,
-- with its indexes. A measure of nothing has no row.
--
-- Idioms: a range scan for each priority, bounded count, the index's own condition ("leases").
with kinds as (
    -- Gates that are alike: their jobs are counted together.
    select
        g.route, g.environment, g.closed_by,
        case g.closed_by
            when 'breaker' then 'app_store_unavailable'
            when 'budget' then 'rate_limited'
            when 'configuration' then 'configuration'
            when 'operator' then 'closed_by_operator'
        end as closed_reason,
        array_agg(g.lane) as lanes
    from counterfoil.gates g
    group by g.route, g.environment, g.closed_by
), due as (
    select case when k.closed_by is null then 'available' else 'parked' end as state,
        coalesce(k.closed_reason, c.reason, 'none') as reason, c.jobs
    from kinds k
    cross join lateral (
        select b.reason, count(*) as jobs
        from (
            select j.reason
            from unnest(k.lanes) as l (lane)
            cross join generate_series(0, 3) as p (priority)
            cross join lateral (
                select q.reason from counterfoil.jobs q
                where q.lane = l.lane and q.priority = p.priority and q.state = 'available' and q.run_at <= now()
                order by q.run_at, q.id
                limit $1::integer
            ) j
            limit $1::integer
        ) b
        group by b.reason
    ) c
), scheduled as (
    select coalesce(c.reason, 'none') as reason, c.jobs
    from kinds k
    cross join lateral (
        select b.reason, count(*) as jobs
        from (
            select j.reason
            from unnest(k.lanes) as l (lane)
            cross join generate_series(0, 3) as p (priority)
            cross join lateral (
                select q.reason from counterfoil.jobs q
                where q.lane = l.lane and q.priority = p.priority and q.state = 'available' and q.run_at > now()
                order by q.run_at, q.id
                limit $1::integer
            ) j
            limit $1::integer
        ) b
        group by b.reason
    ) c
), running as (
    select coalesce(b.reason, 'none') as reason, count(*) as jobs
    from (select j.reason from counterfoil.jobs j where j.lease_expires_at > '-infinity' limit $1::integer) b
    group by b.reason
), discarded as (
    select b.reason, count(*) as jobs
    from (select j.reason from counterfoil.jobs j where j.state = 'discarded' order by j.reason limit $1::integer) b
    group by b.reason
), oldest as (
    select case when k.closed_by is null then 'available' else 'parked' end as state, min(j.run_at) as run_at
    from kinds k
    cross join lateral unnest(k.lanes) as l (lane)
    cross join generate_series(0, 3) as p (priority)
    cross join lateral (
        select q.run_at from counterfoil.jobs q
        where q.lane = l.lane and q.priority = p.priority and q.state = 'available' and q.run_at <= now()
        order by q.run_at, q.id
        limit 1
    ) j
    group by 1
)
select 'jobs' as what, d.state, d.reason, sum(d.jobs)::double precision as value from due d group by d.state, d.reason
union all
select 'jobs', 'scheduled', s.reason, sum(s.jobs)::double precision from scheduled s group by s.reason
union all
select 'jobs', 'running', r.reason, r.jobs::double precision from running r
union all
select 'jobs', 'discarded', d.reason, d.jobs::double precision from discarded d
union all
select 'oldest', o.state, '', extract(epoch from now() - o.run_at)::double precision from oldest o
union all
select 'ahead', b.endpoint, b.environment, greatest(0, extract(epoch from max(b.next_call_at) - now()))::double precision
from counterfoil.budgets b
where b.next_call_at > now()
group by b.endpoint, b.environment
union all
select 'bytes', t.name, '', pg_total_relation_size(t.id)::double precision
from (values ('jobs', 'counterfoil.jobs'::regclass), ('proofs', 'counterfoil.proofs'::regclass)) as t (name, id)
