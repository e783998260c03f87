-- How many jobs a worker's process holds.
--
-- $1 int4  process, or null: none
select count(*)
from counterfoil.workers w
join counterfoil.jobs j on j.worker_id = w.id
where w.pid = $1::integer and j.state = 'running'
