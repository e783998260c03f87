-- Takes a job that isn't running out of the queue, and records by whom and why. Its proof is kept, to be judged again.
--
-- $1 int8  job    $2 text  who    $3 text  why
with cancelled as (
    delete from counterfoil.jobs j where j.id = $1::bigint and j.state <> 'running' returning *
), kept as (
    insert into counterfoil.proofs (
        job_id, order_id, account_id, transaction_id, proof, proof_hash, reason, is_judged
    )
    select
        c.id, c.order_id, o.account_id, c.transaction_id, c.proof, sha256(convert_to(c.proof, 'UTF8')),
        'discarded_by_operator', false
    from cancelled c
    join counterfoil.orders o on o.order_id = c.order_id
    where c.kind = 'verify'
    on conflict (order_id, proof_hash) do update
    set reason = excluded.reason, is_judged = excluded.is_judged, kept_at = now()
), remembered as (
    insert into counterfoil.other_attempts (
        job_id, order_number, lease_token, attempt, disposition, message, submitted_at, claimed_at
    )
    select c.id, c.order_number, c.lease_token, c.attempt, 'cancel', $2::text || ': ' || $3::text, c.created_at, now()
    from cancelled c
    where c.order_id is not null
), told as (
    insert into counterfoil.order_events (order_id, kind, who, why)
    select c.order_id, 'job_cancelled', $2::text, $3::text from cancelled c where c.order_id is not null
)
select c.id, c.order_id from cancelled c
