-- A page of the orders that match the parameters, newest first. Each has the client_action of order_status. The last row has no
-- order where the look ended at its bound: see desk_orders.
--
-- $1 text  account, or null    $4 text  bundle id, or null              $7 text  the last order of the page before, or null
-- $2 text  state, or null      $5 timestamptz  made since, or null      $8 int4  the most to list
-- $3 text  product, or null    $6 timestamptz  made before, or null
--
-- Idiom: offset 0.
select
    o.order_id, o.bundle_id, o.product_id, o.account_id, o.state, o.reason, o.transaction_id, o.environment, o.attempts,
    o.created_at, o.updated_at, s.client_action
from counterfoil.desk_orders(
    $1::text, $2::text, $3::text, $4::text, $5::timestamptz, $6::timestamptz, $7::text, $8::integer
) with ordinality o
left join lateral (select s.client_action from counterfoil.order_status s where s.order_id = o.order_id offset 0) s on true
order by o.ordinality
