-- An order for which something was ever uploaded has a job, or says why it has none. A job that ended leaves attempts.
select o.order_id, o.attempts
from counterfoil.orders o
where o.state = 'open' and o.reason is null
    and exists (select from counterfoil.attempts a where a.order_id = o.order_id)
    and not exists (select from counterfoil.jobs j where j.order_id = o.order_id)
limit 100
