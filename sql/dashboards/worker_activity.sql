-- The workers, and what each of them holds.

create or replace view counterfoil.worker_activity as
select
    coalesce(w.id, h.worker_id) as worker_id, w.name, w.host, w.pid, w.version, w.slots, w.started_at, w.heartbeat_at,
    case
        when w.id is null then 'gone'
        when w.heartbeat_at < now() - interval '1 minute' then 'silent'
        else 'alive'
    end as state,
    coalesce(h.jobs, 0) as jobs_held, h.oldest_claimed_at, h.next_lease_expires_at,
    coalesce(h.expired, 0) as leases_expired
from counterfoil.workers w
full join (
    select
        j.worker_id, count(*) as jobs, min(j.claimed_at) as oldest_claimed_at,
        min(j.lease_expires_at) as next_lease_expires_at, count(*) filter (where j.lease_expires_at <= now()) as expired
    from counterfoil.jobs j
    where j.lease_expires_at > '-infinity'
    group by j.worker_id
) h on h.worker_id = w.id;
comment on view counterfoil.worker_activity is
    'Each worker with its last sign of life and the jobs that it holds; one that holds jobs and has no row is gone.';

alter view counterfoil.worker_activity owner to counterfoil_owner;
grant select on counterfoil.worker_activity to counterfoil_worker, counterfoil_support, counterfoil_reader;
