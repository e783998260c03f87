-- Jobs that are available or running, the longest waiting first, for a person to see why.
select j.order_id, j.state, j.reason, j.attempt, j.rescues, j.run_at, g.closed_by
from counterfoil.jobs j
left join counterfoil.gates g on g.lane = j.lane
where j.state <> 'discarded'
order by j.created_at
limit 10
