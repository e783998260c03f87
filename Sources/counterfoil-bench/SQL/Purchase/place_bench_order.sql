-- As a backend places an order.
--
-- $1 text  order    $2 text  app    $3 text  product    $4 text  account
insert into counterfoil.orders (order_id, bundle_id, product_id, account_id) values ($1::text, $2::text, $3::text, $4::text)
