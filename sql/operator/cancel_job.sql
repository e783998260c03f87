-- Takes a job that isn't running out of the queue, and records by whom and why. Its proof is kept, to be judged again.
--
-- $1 int8  job    $2 text  who    $3 text  why
with cancelled as (
    delete from counterfoil.jobs j where j.id = $1::bigint and j.state <> 'running' returning *
), kept as (
    insert into counterfoil.proofs (job_id, order_id, transaction_id, proof, reason)
    select c.id, c.order_id, c.transaction_id, c.proof, 'discarded_by_operator' from cancelled c where c.kind = 'verify'
    on conflict (job_id) do nothing
), remembered as (
    insert into counterfoil.attempts (
        job_id, order_id, lease_token, attempt, disposition, message, submitted_at, claimed_at
    )
    select c.id, c.order_id, c.lease_token, c.attempt, 'cancel', $2::text || ': ' || $3::text, c.created_at, now()
    from cancelled c
), told as (
    insert into counterfoil.order_events (order_id, kind, who, why)
    select c.order_id, 'job_cancelled', $2::text, $3::text from cancelled c
)
select c.id, c.order_id from cancelled c
