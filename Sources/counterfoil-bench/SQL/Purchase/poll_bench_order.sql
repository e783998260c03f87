-- As a backend polls.
--
-- $1 text  order    $2 text  account
select s.state, s.reason, s.client_action, s.transaction_id from counterfoil.order_status_of($1::text, $2::text) s
