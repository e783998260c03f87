-- All attempts at some orders, in the order in which they ended.
--
-- $1 text[]  orders
select
    a.order_id, a.job_id, a.lease_token as token, a.attempt, a.disposition, a.reason, a.message, w.name as worker,
    extract(epoch from a.claimed_at - a.submitted_at)::numeric(9, 2)::text as claimed_after,
    extract(epoch from a.finished_at - a.submitted_at)::numeric(9, 2)::text as finished_after
from counterfoil.attempts a
left join counterfoil.workers w on w.id = a.worker_id
where a.order_id = any($1::text[])
order by a.order_id, a.finished_at
limit 60
