-- The shop delivered each grant once, and nothing else.
select coalesce(g.order_id, d.order_id) as order_id, g.order_id is not null as is_granted, d.order_id is not null as is_delivered
from counterfoil.grants g
full join shop.deliveries d on d.order_id = g.order_id
where g.order_id is null or d.order_id is null
limit 100
