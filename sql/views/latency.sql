-- Percentiles of the last 24 hours, told from histograms: each is the upper bound of the bucket that it falls into, so
-- at most two and a half times too high; null stands for more than the last bound.

create or replace view counterfoil.latency as
select
    h.minute, h.bundle_id, h.measure, h.attempts,
    counterfoil.latency_percentile(50, h.attempts, h.reached, h.buckets) as p50_seconds,
    counterfoil.latency_percentile(95, h.attempts, h.reached, h.buckets) as p95_seconds,
    counterfoil.latency_percentile(99, h.attempts, h.reached, h.buckets) as p99_seconds
from (
    -- In the order of the buckets, as the window leaves them.
    select
        c.minute, c.bundle_id, c.measure, max(c.reached) as attempts, array_agg(c.reached) as reached,
        array_agg(c.bucket) as buckets
    from (
        select
            m.minute, m.bundle_id, m.measure, m.bucket,
            -- A sum of integers is a bigint, one of bigints a numeric, which takes four times as long.
            sum(m.attempts::integer) over (partition by m.minute, m.bundle_id, m.measure order by m.bucket) as reached
        from counterfoil.latency_minutes m
        where m.minute >= now() - interval '24 hours'
    ) c
    group by c.minute, c.bundle_id, c.measure
) h;
comment on view counterfoil.latency is
    'Seconds from the upload to the first claim (pick_up), from a claim to its end (attempt) and from the upload to '
    'the grant (fulfilment), in each minute of the last 24 hours.';

alter view counterfoil.latency owner to counterfoil_owner;
grant select on counterfoil.latency to counterfoil_worker, counterfoil_reader;
