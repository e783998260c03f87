-- An order that counts as refunded although nobody took back the payment that it was granted, or Apple gave it again.
--
-- Idiom: row look-up. Refunded orders are few; a join would read all payments.
select o.order_id, p.transaction_id, p.environment
from counterfoil.orders o
cross join lateral (
    select s.* from counterfoil.payment_states s where s.order_id = o.order_id offset 0
) p
where o.state = 'refunded' and p.state = 'granted'
limit 100
