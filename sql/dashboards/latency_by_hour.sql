-- Percentiles of the last 30 days, computed from histograms: each is the upper bound of the bucket that it falls into, so
-- at most two and a half times too high; null stands for more than the last bound.

create or replace view counterfoil.latency_by_hour as
select
    h.hour, h.bundle_id, h.measure, h.reached[cardinality(h.reached)] as attempts,
    counterfoil.latency_percentile(50, h.buckets, h.reached) as p50_seconds,
    counterfoil.latency_percentile(95, h.buckets, h.reached) as p95_seconds,
    counterfoil.latency_percentile(99, h.buckets, h.reached) as p99_seconds
from counterfoil.latency_hours h
where h.hour >= now() - interval '30 days';
comment on view counterfoil.latency_by_hour is
    'Seconds from the upload to the first claim (pick_up), from a claim to its end (attempt) and from the upload to '
    'the grant (fulfilment), in each hour of the last 30 days.';

alter view counterfoil.latency_by_hour owner to counterfoil_owner;
grant select on counterfoil.latency_by_hour to counterfoil_worker, counterfoil_support, counterfoil_reader;
