-- The orders of an account and product that can still be paid, oldest first.
--
-- $1 text  account    $2 text  product
select o.order_id from counterfoil.open_orders($1::text, $2::text) o
