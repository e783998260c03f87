-- Makes an order older than it is.
--
-- $1 text  order    $2 int4  minutes
update counterfoil.orders
set created_at = created_at - make_interval(mins => $2::integer)
where order_id = $1::text
