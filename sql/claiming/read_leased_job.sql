-- The job that a lease is held for, with the columns of claim_jobs.sql, and who holds it; no row when the lease is lost.
--
-- $1 int8  job
-- $2 int8  lease token
--
-- Idioms: array of one, lease not state.
select
    j.id, j.lease_token, j.lane, j.attempt, j.rescues, j.crashes, j.created_at, j.claimed_at,
    coalesce(j.proof, (select n.payload from counterfoil.notifications n where n.id = j.notification_id)) as proof,
    j.transaction_id,
    j.transaction_id is not null and (
        select true from counterfoil.payments p
        where p.order_number = any (array[j.order_number]) and p.bundle_id = f.bundle_id
            and (
                p.transaction_id = j.transaction_id
                or p.payment_key = (
                    select n.payment_key from counterfoil.payments n
                    where n.transaction_id = j.transaction_id and n.bundle_id = p.bundle_id and n.environment = p.environment
                )
            )
    ) is not null as hint_is_granted,
    j.priority, j.run_at, j.kind, j.uncertain_attempts, j.missing_since, j.last_missing_at, j.notification_id,
    j.found_by is not null as is_found, f.*, j.worker_id
from counterfoil.jobs j
left join counterfoil.order_facts f on f.order_number = any (array[j.order_number])
where j.id = $1::bigint and j.lease_token = $2::bigint and j.lease_expires_at is not null
