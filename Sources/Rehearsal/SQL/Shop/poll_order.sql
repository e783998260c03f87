-- Where an order is, and what its client is to do.
--
-- $1 text  order    $2 text  account
select state, client_action from counterfoil.order_status_of($1::text, $2::text)
