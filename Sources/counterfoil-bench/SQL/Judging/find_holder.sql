-- The job of an order that runs, the process of the worker that holds it, and how often it was rescued.
--
-- $1 text  order
select j.id, w.pid, j.rescues
from counterfoil.jobs j
join counterfoil.workers w on w.id = j.worker_id
where j.order_id = $1::text and j.state = 'running'
