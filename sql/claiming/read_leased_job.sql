-- The job that a lease is held for, with the columns of claim_jobs.sql, and who holds it; no row when the lease is lost.
--
-- $1 int8  job
-- $2 int8  lease token
--
-- Idioms: array of one, lease not state.
select
    j.id, j.lease_token, j.lane, j.attempt, j.rescues, j.crashes, j.created_at, j.claimed_at, j.proof,
    j.transaction_id,
    j.transaction_id is not null and exists (
        select from counterfoil.grants g
        where g.order_id = j.order_id and g.id = any (array(
            select t.grant_id from counterfoil.transaction_ids t
            where t.bundle_id = f.bundle_id and t.transaction_id = j.transaction_id
        ))
    ) as hint_is_granted,
    j.priority, j.run_at, j.kind, j.uncertain_attempts, j.missing_since, j.last_missing_at, f.*, j.worker_id
from counterfoil.jobs j
join counterfoil.order_facts f on f.order_id = any (array[j.order_id])
where j.id = $1::bigint and j.lease_token = $2::bigint and j.lease_expires_at is not null
