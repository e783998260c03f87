-- Makes jobs available again that a worker leased in a claim whose answer it never got. Returns the jobs.
--
-- Only the worker in whose name they stand may say so: it names the leases that it knows of. The attempt isn't counted, since
-- nothing was attempted. A lease that ran out is left to the rescue.
--
-- $1 int8    the worker
-- $2 int8[]  the jobs whose leases it knows of
-- $3 int8[]  their lease tokens
--
-- Idioms: lock first, the index's own condition ("leases"), stable now(), array of one.
with lost as materialized (
    -- With its time, which the update clears.
    select j.id, j.claimed_at
    from counterfoil.jobs j
    where j.lease_expires_at > '-infinity' and j.lease_expires_at > now() and j.worker_id = $1::bigint
        and not exists (
            select from unnest($2::bigint[], $3::bigint[]) as k (job_id, lease_token)
            where k.job_id = j.id and k.lease_token = j.lease_token
        )
    for no key update skip locked
), handed_back as (
    update counterfoil.jobs j
    set state = 'available', is_alone = false, attempt = j.attempt - 1, run_at = now(), claimed_at = null, lease_expires_at = null,
        worker_id = null
    from lost l
    where j.id = any (array[l.id])
    returning j.id, j.order_number, j.lease_token, j.attempt, j.created_at, l.claimed_at
), told as (
    insert into counterfoil.other_attempts (
        job_id, order_number, lease_token, attempt, disposition, message, worker_id, submitted_at, claimed_at
    )
    select
        h.id, h.order_number, h.lease_token, h.attempt + 1, 'release', 'the answer to its claim was lost', $1::bigint,
        h.created_at, h.claimed_at
    from handed_back h
    -- The history is that of orders.
    where h.order_number is not null
)
select h.id from handed_back h
