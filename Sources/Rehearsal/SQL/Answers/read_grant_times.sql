-- Under each id of a granted payment: the order, and when it was granted.
select s.bundle_id, s.environment, s.transaction_id, o.order_id, g.granted_at
from counterfoil.payment_states s
join counterfoil.payments g on g.order_number = s.paid_order_number
join counterfoil.orders o on o.number = s.paid_order_number
