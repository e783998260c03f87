-- Orders of one app whose account token is known, as bare transaction ids need it. Their ids repeat with the seed.
--
-- $1 text  seed of the ids, or null     $4 text  app
-- $2 int8  first number   $5 uuid  token
-- $3 int8  last number
insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token)
select bench_order_id($1::text, n), $4::text, 'coins', 'account-of-the-token', $5::uuid
from generate_series($2::bigint, $3::bigint) as n
