-- A payment with a part of an attempt, or with an attempt although no job's grant paid for an order. The grant writes all of it,
-- but for the kind of a proof that has none (grant_first_payments).
select
    p.transaction_id, p.bundle_id, p.environment,
    (select o.order_id from counterfoil.orders o where o.number = p.order_number) as order_id
from counterfoil.payments p
where num_nonnulls(p.attempt, p.lease_token, p.worker_id, p.submitted_at, p.claimed_at)
        <> case when p.lease_token is not null and p.order_number is not null and p.job_id is not null then 5 else 0 end
    or p.lease_token is null and p.proof_kind is not null
limit 100
