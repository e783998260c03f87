-- An order at checkout, as documents show it.
--
-- $1 text  order    $2 text  bundle id    $3 text  product    $4 text  account
insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
values ($1::text, $2::text, $3::text, $4::text)
