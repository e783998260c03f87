-- An open order that was attempted, has no job any more and no reason: nobody will ever look at it again.
select o.order_id, o.attempts, o.last_attempt_at
from counterfoil.orders o
where o.state = 'open' and o.attempts > 0
    and not exists (select from counterfoil.jobs j where j.order_id = o.order_id)
    and not exists (
        select from counterfoil.attempts a where a.order_id = o.order_id and a.disposition = 'cancel'
    )
limit 100
