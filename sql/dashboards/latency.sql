-- Percentiles of the last 24 hours, computed from histograms: each is the upper bound of the bucket that it falls into, so
-- at most two and a half times too high; null stands for more than the last bound.

create or replace view counterfoil.latency as
select
    h.minute, h.bundle_id, h.measure, h.reached[cardinality(h.reached)] as attempts,
    counterfoil.latency_percentile(50, h.buckets, h.reached) as p50_seconds,
    counterfoil.latency_percentile(95, h.buckets, h.reached) as p95_seconds,
    counterfoil.latency_percentile(99, h.buckets, h.reached) as p99_seconds
from counterfoil.latency_minutes h
where h.minute >= now() - interval '24 hours';
comment on view counterfoil.latency is
    'Seconds from the upload to the first claim (pick_up), from a claim to its end (attempt) and from the upload to '
    'the grant (fulfilment), in each minute of the last 24 hours.';

alter view counterfoil.latency owner to counterfoil_owner;
grant select on counterfoil.latency to counterfoil_worker, counterfoil_support, counterfoil_reader;
