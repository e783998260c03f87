-- A job whose lease ran out minutes ago and that nobody rescued, while a worker has been alive for as long.
--
-- Only a worker ends such a lease: until one has had that time, it is no fault. A backup that was restored holds the leases of
-- its moment, and none of its workers lives.
select j.id, j.order_id, j.worker_id, j.lease_expires_at
from counterfoil.jobs j
where j.lease_expires_at > '-infinity' and j.lease_expires_at < now() - interval '5 minutes'
    and exists (
        select from counterfoil.workers w
        where w.heartbeat_at >= now() - interval '1 minute' and w.started_at < now() - interval '5 minutes'
    )
limit 100
