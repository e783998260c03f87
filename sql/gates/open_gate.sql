-- Opens a gate. Returns the lane when it was closed, and by whom, for whom and why.
--
-- Jobs of its app that failed while it was closed, or as the breaker counted, were put off by more the longer Apple failed. They
-- become due within 15 s, spread: nobody waits for long after an outage. A job that somebody holds is left as it is.
--
-- $1 int4    lane
-- $2 bool    whether also one that an operator closed
-- $3 float8  seconds that a failed call counts for the breaker
--
-- Of each lane and priority the twenty thousand jobs are looked at that are due next after these 15 s, however many wait for
-- tomorrow. No job is put off for longer than an hour after a failure (RetryPolicy).
--
-- Idioms: lock first, a range scan for each priority, row look-up, array of ids, lease not state.
with opened as (
    update counterfoil.gates g
    set state = 'open', closed_by = null, closed_for = null, why = null, closed_at = null, opened_at = now(), failed_probes = 0,
        probe_at = null, probe_until = null
    from (
        select c.lane, c.closed_by, c.closed_for, c.why, c.closed_at
        from counterfoil.gates c
        where c.lane = $1::integer and c.state = 'closed' and (c.closed_by <> 'operator' or $2::boolean)
        for no key update
    ) closed
    where g.lane = closed.lane
    returning g.lane, g.bundle_id, closed.closed_by, closed.closed_for, closed.why, closed.closed_at
), failed as materialized (
    select j.id
    from counterfoil.jobs j
    where j.id = any (array(
            select f.id
            from opened o
            -- The job may wait in the lane of another call of its.
            join counterfoil.gates l on l.bundle_id = o.bundle_id
            cross join generate_series(0, 3) as p (priority)
            cross join lateral (
                select q.id, q.order_number, q.reason
                from counterfoil.jobs q
                where q.state = 'available' and q.lane = l.lane and q.priority = p.priority
                    and q.run_at > now() + interval '15 seconds' and q.run_at <= now() + interval '1 hour'
                order by q.run_at, q.id
                limit 20000
            ) f
            where f.reason = 'app_store_unavailable'
                and (
                    select true
                    from counterfoil.other_attempts a
                    where a.order_number = f.order_number and a.job_id = f.id and a.disposition = 'retry'
                        and a.reason = 'app_store_unavailable'
                        and a.finished_at >= o.closed_at - make_interval(secs => $3::double precision)
                    limit 1
                )
        ))
        -- Still, once it is locked.
        and j.lease_expires_at is null and j.reason = 'app_store_unavailable'
    order by j.id
    for no key update skip locked
), hastened as (
    update counterfoil.jobs j
    set run_at = now() + random() * interval '15 seconds'
    from failed f
    where j.id = any (array[f.id])
)
select o.lane, o.closed_by, o.closed_for, o.why from opened o
