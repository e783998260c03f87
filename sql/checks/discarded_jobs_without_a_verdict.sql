-- A client's job that was given up while its order looks as if something were still going on.
select j.id, j.order_id, j.reason, o.state
from counterfoil.jobs j
join counterfoil.orders o on o.number = j.order_number
where j.state = 'discarded' and j.kind = 'verify' and j.found_by is null and o.state = 'open'
limit 100
