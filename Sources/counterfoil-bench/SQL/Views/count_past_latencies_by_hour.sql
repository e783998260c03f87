-- The roll-up of the past's latencies by the hour, all at once, in the order in which workers write: each measure's attempts in
-- four buckets.
insert into counterfoil.latency_hours (hour, bundle_id, measure, buckets, reached)
select h.hour, h.bundle_id, l.measure, array[5, 6, 7, 8], array[h.part, 2 * h.part, 3 * h.part, 4 * h.part]
from (
    select m.hour, m.bundle_id, (sum(m.attempts) / 4 + 1)::bigint as part
    from counterfoil.attempt_hours m
    group by m.hour, m.bundle_id
) h
cross join (values ('pick_up'), ('attempt'), ('fulfilment')) as l (measure)
order by h.hour
