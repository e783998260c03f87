-- The roll-up of the past's latencies by the minute, all at once, in the order in which workers write: each measure's attempts in
-- four buckets.
insert into counterfoil.latency_minutes (minute, bundle_id, measure, bucket, attempts)
select m.minute, m.bundle_id, l.measure, b.bucket, sum(m.attempts) / 4 + 1
from counterfoil.attempt_minutes m
cross join (values ('pick_up'), ('attempt'), ('fulfilment')) as l (measure)
cross join generate_series(5, 8) as b (bucket)
group by m.minute, m.bundle_id, l.measure, b.bucket
order by 1
