-- Cancels an order that isn't paid; returns its state.
--
-- $1 text  order    $2 text  why
select s.state from counterfoil.cancel_order($1::text, $2::text) s
