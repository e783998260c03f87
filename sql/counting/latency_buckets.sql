-- Private: what lies in each bucket of the latency histograms of a minute, to be added up.

create or replace view counterfoil.latency_buckets as
select m.minute, m.bundle_id, m.measure, b.bucket, b.reached - coalesce(m.reached[b.place - 1], 0) as attempts
from counterfoil.latency_minutes m
cross join lateral unnest(m.buckets, m.reached) with ordinality as b (bucket, reached, place);
comment on view counterfoil.latency_buckets is 'Private: the histograms of latency_minutes, a row for each bucket.';

alter view counterfoil.latency_buckets owner to counterfoil_owner;
