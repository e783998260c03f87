-- A job in a lane that doesn't exist: nobody will ever claim it.
select j.id, j.order_id, j.lane
from counterfoil.jobs j
where not exists (select from counterfoil.gates g where g.lane = j.lane)
limit 100
