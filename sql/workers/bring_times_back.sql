-- Brings times of jobs back that were written while the server's clock was ahead: otherwise proofs wait, and leases hold, until
-- that time comes. Each keeps the wait that it was given. A job was written at the latest of its insert, its claim and its
-- order's last attempt. Returns the jobs.
--
-- Not sent by the path of a job: by a worker at its start, once an hour, and when it sees the clock go back (beat_worker).
--
-- $1 int4    the most jobs
--
-- Idioms: lock first, array of one.
with ahead as materialized (
    select j.id, w.written_at
    from counterfoil.jobs j
    left join counterfoil.orders o on o.number = j.order_number
    cross join lateral (select greatest(j.created_at, j.claimed_at, o.last_attempt_at, o.updated_at) as written_at) w
    where w.written_at > now() + interval '2 seconds' and (j.run_at > now() or j.lease_expires_at > now())
        and j.state <> 'discarded'
    limit $1::integer
    for no key update of j skip locked
)
update counterfoil.jobs j
set run_at = least(j.run_at, now() + greatest(interval '0', j.run_at - a.written_at)),
    claimed_at = case when j.claimed_at > now() then now() else j.claimed_at end,
    lease_expires_at = case
        when j.claimed_at > now() then now() + (j.lease_expires_at - j.claimed_at)
        else j.lease_expires_at
    end,
    missing_since = case when j.missing_since > now() then now() else j.missing_since end,
    last_missing_at = case when j.last_missing_at > now() then now() else j.last_missing_at end
from ahead a
where j.id = any (array[a.id])
returning j.id
