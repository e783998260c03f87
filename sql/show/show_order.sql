-- One order with its status and, where it has one, its grant.
--
-- $1 text  order
select
    o.order_id, o.bundle_id, o.product_id, o.account_id, o.quantity, o.app_account_token, o.recovery, s.state, s.reason,
    s.client_action, s.transaction_id, s.environment, s.attempts, s.next_attempt_at, o.created_at, s.fulfilled_at,
    s.updated_at, g.grant_key, g.quantity as granted_quantity, g.purchased_at, g.granted_at
from counterfoil.orders o
join counterfoil.order_status s on s.order_id = o.order_id
left join counterfoil.grants g on g.order_id = o.order_id
where o.order_id = $1::text
