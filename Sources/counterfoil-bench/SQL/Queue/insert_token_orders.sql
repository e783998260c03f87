-- Orders of one app whose account token is known, as bare transaction ids need it.
--
-- $1 int8  first number   $3 text  app
-- $2 int8  last number    $4 uuid  token
insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token)
select public.bench_order_id(null, n), $3::text, 'coins', 'account-of-the-token', $4::uuid
from generate_series($1::bigint, $2::bigint) as n
