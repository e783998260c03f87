-- The final word on every order.
select s.order_id, s.state, s.reason, s.client_action, s.transaction_id, s.environment
from counterfoil.order_status s
