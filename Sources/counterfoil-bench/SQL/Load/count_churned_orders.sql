-- How many of those orders were judged, once each, and how many weren't.
--
-- The history has one attempt that completed for each: a second one would be a second judgement.
select
    count(*) filter (where o.state = 'rejected' and o.reason = 'malformed_proof' and a.completed = 1),
    count(*) filter (
        where not (o.state = 'rejected' and o.reason = 'malformed_proof' and coalesce(a.completed, 0) = 1))
from counterfoil.orders o
left join (
    select a.order_id, count(*) filter (where a.disposition = 'complete') as completed
    from counterfoil.attempts a
    where a.order_id like 'churned-%'
    group by a.order_id
) a on a.order_id = o.order_id
where o.order_id like 'churned-%'
