-- Cancels an order that isn't paid; its status.
--
-- $1 text  order    $2 text  why    $3 text  account; null: whichever the order has
select * from counterfoil.cancel_order($1::text, $2::text, $3::text)
