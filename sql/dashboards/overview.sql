-- How things are now, in one row. The figures of the last five minutes are those of minutes that are counted.
--
-- Idioms: bounded count, the index's own condition ("leases").

create or replace view counterfoil.overview as
select
    b.waiting_jobs, b.due_jobs, b.parked_jobs, r.running_jobs, d.discarded_jobs,
    greatest(0, extract(epoch from now() - b.oldest_due_at))::double precision as oldest_due_seconds,
    coalesce(t.attempts, 0) as attempts_last_5_minutes, coalesce(t.fulfilled, 0) as fulfilled_last_5_minutes,
    coalesce(t.rejected, 0) as rejected_last_5_minutes, coalesce(t.failed, 0) as failed_last_5_minutes,
    l.p50_seconds, l.p95_seconds, l.p99_seconds,
    w.workers_alive, w.workers_silent, w.slots, g.closed_gates, v.orders_in_review, u.paid_not_delivered,
    k.counted_to, now() as as_of
from (
    select
        coalesce(sum(x.waiting), 0)::bigint as waiting_jobs,
        coalesce(sum(x.due) filter (where y.state = 'open'), 0)::bigint as due_jobs,
        coalesce(sum(x.waiting) filter (where y.state = 'closed'), 0)::bigint as parked_jobs,
        min(x.oldest_run_at) filter (where y.state = 'open' and x.due > 0) as oldest_due_at
    from counterfoil.lane_backlogs x
    left join counterfoil.gates y on y.lane = x.lane
) b
cross join (select count(*) as running_jobs from counterfoil.jobs j where j.lease_expires_at > '-infinity') r
cross join (
    select count(*) as discarded_jobs
    from (select from counterfoil.jobs j where j.state = 'discarded' order by j.reason limit 10000) as few
) d
cross join (
    select
        sum(m.attempts)::bigint as attempts,
        sum(m.attempts) filter (where m.outcome = 'fulfilled')::bigint as fulfilled,
        sum(m.attempts) filter (where m.outcome = 'rejected')::bigint as rejected,
        sum(m.attempts) filter (where m.outcome in ('retried', 'rescued', 'discarded'))::bigint as failed
    from counterfoil.attempt_minutes m
    where m.minute >= date_trunc('minute', now()) - interval '5 minutes'
) t
cross join (
    select
        counterfoil.latency_percentile(50, h.buckets, h.reached) as p50_seconds,
        counterfoil.latency_percentile(95, h.buckets, h.reached) as p95_seconds,
        counterfoil.latency_percentile(99, h.buckets, h.reached) as p99_seconds
    from (
        select array_agg(c.bucket order by c.bucket) as buckets, array_agg(c.reached order by c.bucket) as reached
        from (
            select m.bucket, (sum(sum(m.attempts)) over (order by m.bucket))::bigint as reached
            from counterfoil.latency_buckets m
            where m.minute >= date_trunc('minute', now()) - interval '5 minutes' and m.measure = 'fulfilment'
            group by m.bucket
        ) c
    ) h
) l
cross join (
    select
        count(*) filter (where x.heartbeat_at >= now() - interval '1 minute') as workers_alive,
        count(*) filter (where x.heartbeat_at < now() - interval '1 minute') as workers_silent,
        coalesce(sum(x.slots) filter (where x.heartbeat_at >= now() - interval '1 minute'), 0)::bigint as slots
    from counterfoil.workers x
) w
cross join (select count(*) as closed_gates from counterfoil.gates x where x.state = 'closed') g
cross join (
    select count(*) as orders_in_review
    from (
        select from counterfoil.orders_in_review x
        join counterfoil.open_reviews o on o.order_id = x.order_id
        -- Only some: each is looked up, since it may have left review.
        limit 1000
    ) as few
) v
cross join (
    select count(*) as paid_not_delivered
    from (
        select from counterfoil.payment_states x
        where x.reason not in ('renewal', 'restored', 'refunded', 'before_ledger') and x.state = 'unclaimed'
        limit 10000
    ) as few
) u
cross join counterfoil.roll_up_marks k;
comment on view counterfoil.overview is
    'How things are now, in one row: what waits, what runs, what was done in the last 5 minutes and how fast, who '
    'works, and what needs a person. Counts of 10000, and 1000 orders in review, mean so many or more';

alter view counterfoil.overview owner to counterfoil_owner;
grant select on counterfoil.overview to counterfoil_worker, counterfoil_support, counterfoil_reader;
