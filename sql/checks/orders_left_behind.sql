-- An open order that was attempted and has no job any more: nobody will ever look at it again. One whose job was cancelled by
-- hand, or whose first payment was refunded while another one for its product is unclaimed, waits for a new proof.
select o.order_id, o.attempts, o.last_attempt_at
from counterfoil.orders o
where o.state = 'open' and o.attempts > 0
    and not exists (select from counterfoil.jobs j where j.order_id = o.order_id)
    and not exists (
        select from counterfoil.attempts a where a.order_id = o.order_id and a.disposition = 'cancel'
    )
    -- The history of attempts ends some day.
    and not exists (
        select from counterfoil.order_events e where e.order_id = o.order_id and e.kind = 'job_cancelled'
    )
    and not exists (
        select from counterfoil.unclaimed_transactions u
        where u.order_id = o.order_id and u.product_id = o.product_id
    )
limit 100
