-- Makes jobs available again whose lease ran out, and records the lost attempts. Returns the jobs.
--
-- Any worker may do so at any time. The attempt stays counted. The lease token rises at the next claim; until then the
-- settlement of the late attempt finds the job available and matches nothing. The number of rescues stops at the most that a
-- smallint holds.
--
-- A job whose attempts can't be written at all loses each of its leases. From its fifth rescue on it waits first: a minute, twice
-- as long after each further rescue, at most an hour.
--
-- A scan with $2 leaves older leases to the scan without it: an earlier scan found them, or they were being settled then. So it
-- walks over few of the dead entries that settled jobs leave in the index while an old snapshot holds vacuum back.
--
-- $1 int4    the most to rescue
-- $2 float8  how long ago the leases may have run out, in seconds; null: however long
-- $3 int4    how many of the oldest to leave
--
-- Idioms: lock first, the index's own condition ("leases"), stable now(), array of one.
with expired as materialized (
    -- With its worker and time, which the update clears.
    select j.id, j.worker_id, j.claimed_at
    from counterfoil.jobs j
    where j.lease_expires_at > '-infinity' and j.lease_expires_at <= now()
        and j.lease_expires_at >= coalesce(now() - make_interval(secs => $2::double precision), '-infinity')
    order by j.lease_expires_at
    limit $1::integer offset $3::integer
    for no key update skip locked
), rescued as (
    update counterfoil.jobs j
    set state = 'available', is_alone = false, rescues = least(j.rescues + 1, 32767),
        run_at = case
            when j.rescues < 4 then now()
            else now() + least(interval '1 minute' * 2 ^ least(j.rescues - 4, 6), interval '1 hour')
        end,
        claimed_at = null, lease_expires_at = null, worker_id = null
    from expired e
    where j.id = any (array[e.id])
    returning j.id, j.order_id, j.order_number, j.lease_token, j.attempt, j.rescues, j.created_at, e.worker_id, e.claimed_at
), told as (
    insert into counterfoil.other_attempts (
        job_id, order_number, lease_token, attempt, disposition, message, worker_id, submitted_at, claimed_at
    )
    select r.id, r.order_number, r.lease_token, r.attempt, 'rescue', 'the lease ran out', r.worker_id, r.created_at, r.claimed_at
    from rescued r
    -- The history is that of orders.
    where r.order_number is not null
)
select r.id, r.order_id, r.rescues, r.worker_id from rescued r
