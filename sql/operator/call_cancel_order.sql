-- Withdraws an order that isn't paid.
--
-- $1 text  order    $2 text  why
select c.order_id, c.state, c.reason from counterfoil.cancel_order($1::text, $2::text) c
