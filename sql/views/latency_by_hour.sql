-- Percentiles of the last 30 days, told from histograms: each is the upper bound of the bucket that it falls into, so
-- at most two and a half times too high; null stands for more than the last bound.

create or replace view counterfoil.latency_by_hour as
select
    h.hour, h.bundle_id, h.measure, h.attempts,
    counterfoil.latency_percentile(50, h.attempts, h.reached, h.buckets) as p50_seconds,
    counterfoil.latency_percentile(95, h.attempts, h.reached, h.buckets) as p95_seconds,
    counterfoil.latency_percentile(99, h.attempts, h.reached, h.buckets) as p99_seconds
from (
    -- In the order of the buckets, as the window leaves them.
    select
        c.hour, c.bundle_id, c.measure, max(c.reached) as attempts, array_agg(c.reached) as reached,
        array_agg(c.bucket) as buckets
    from (
        select
            m.hour, m.bundle_id, m.measure, m.bucket,
            -- A sum of integers is a bigint, one of bigints a numeric, which takes four times as long.
            sum(m.attempts::integer) over (partition by m.hour, m.bundle_id, m.measure order by m.bucket) as reached
        from counterfoil.latency_hours m
        where m.hour >= now() - interval '30 days'
    ) c
    group by c.hour, c.bundle_id, c.measure
) h;
comment on view counterfoil.latency_by_hour is
    'Seconds from the upload to the first claim (pick_up), from a claim to its end (attempt) and from the upload to '
    'the grant (fulfilment), in each hour of the last 30 days.';

alter view counterfoil.latency_by_hour owner to counterfoil_owner;
grant select on counterfoil.latency_by_hour to counterfoil_worker, counterfoil_reader;
