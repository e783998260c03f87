-- Takes a job that isn't running out of the queue and writes that down.
--
-- $1 int8  job    $2 text  who and why
with cancelled as (
    delete from counterfoil.jobs j where j.id = $1::bigint and j.state <> 'running' returning *
), told as (
    insert into counterfoil.attempts (
        job_id, order_id, lease_token, attempt, disposition, message, submitted_at, claimed_at
    )
    select c.id, c.order_id, c.lease_token, c.attempt, 'cancel', $2::text, c.created_at, now() from cancelled c
)
select c.id, c.order_id from cancelled c
