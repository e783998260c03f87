-- Every name of a granted purchase, with the transaction that its grant was made for.
select s.bundle_id, s.environment, s.transaction_id, g.transaction_id as granted_transaction_id
from counterfoil.payment_states s
join counterfoil.payments g on g.order_number = s.paid_order_number
