-- The finished attempts of an order, oldest first.
--
-- $1 text  order
select
    a.finished_at, a.job_id, a.attempt, a.disposition, a.reason, a.message, a.proof_kind, a.environment,
    a.transaction_id, a.worker_id, a.claimed_at
from counterfoil.attempts a
where a.order_number = (select o.number from counterfoil.orders o where o.order_id = $1::text)
order by a.finished_at, a.job_id, a.lease_token
