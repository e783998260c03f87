-- Where orders are; one row an order that exists.
--
-- $1 text[]  orders
select s.order_id, s.state, s.reason, s.client_action, s.transaction_id, s.environment,
    s.next_attempt_at is not null as is_pending
from counterfoil.order_status s
where s.order_id = any($1::text[])
