-- Jobs that wait behind closed gates.
select count(*)
from counterfoil.jobs j
join counterfoil.gates g using (lane)
where j.state = 'available' and g.state = 'closed'
