-- An order as a shop inserts it at checkout, with the privileges of a backend.
--
-- $1 text  order        $3 text  product    $5 int4  quantity
-- $2 text  bundle id    $4 text  account    $6 uuid  app account token, or null
insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity, app_account_token)
values ($1::text, $2::text, $3::text, $4::text, $5::integer, $6::uuid)
