-- The ids of an account's orders as JSON has them, so that one is a line whatever it holds; the oldest first, a page.
--
-- $1 text  account    $2 int4  the most to list    $3 int8  numbers above this one
select to_json(o.order_id)::text as line, o.number from counterfoil.orders_of_account($1::text, $2::integer, $3::bigint) o
