-- Percentiles of the last 30 days, told from histograms: each is the upper bound of the bucket that it falls into, so
-- at most two and a half times too high; null stands for more than the last bound.

create or replace view counterfoil.latency_by_hour as
select
    c.hour, c.bundle_id, c.measure, max(c.total) as attempts,
    (counterfoil.latency_bounds())[1 + min(c.bucket) filter (where c.reached * 100 >= c.total * 50)] as p50_seconds,
    (counterfoil.latency_bounds())[1 + min(c.bucket) filter (where c.reached * 100 >= c.total * 95)] as p95_seconds,
    (counterfoil.latency_bounds())[1 + min(c.bucket) filter (where c.reached * 100 >= c.total * 99)] as p99_seconds
from (
    select
        m.hour, m.bundle_id, m.measure, m.bucket,
        -- A sum of integers is a bigint, one of bigints a numeric, which takes four times as long.
        sum(m.attempts::integer) over (partition by m.hour, m.bundle_id, m.measure order by m.bucket) as reached,
        sum(m.attempts::integer) over (partition by m.hour, m.bundle_id, m.measure) as total
    from counterfoil.latency_hours m
    where m.hour >= now() - interval '30 days'
) c
group by c.hour, c.bundle_id, c.measure;
comment on view counterfoil.latency_by_hour is
    'Seconds from the upload to the first claim (pick_up), from a claim to its end (attempt) and from the upload to '
    'the grant (fulfilment), in each hour of the last 30 days.';

alter view counterfoil.latency_by_hour owner to counterfoil_owner;
grant select on counterfoil.latency_by_hour to counterfoil_worker, counterfoil_reader;
