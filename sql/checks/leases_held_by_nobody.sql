-- A job whose lease ran out minutes ago and that nobody rescued: no worker is alive.
select j.id, j.order_id, j.worker_id, j.lease_expires_at
from counterfoil.jobs j
where j.state = 'running' and j.lease_expires_at < now() - interval '5 minutes'
limit 100
