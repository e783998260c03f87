-- Orders of the benchmark, in turn of the four apps. Their ids repeat with the seed.
--
-- $1 text  seed of the ids, or null     $3 int8  last number
-- $2 int8  first number              $4 text  product
insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
select public.bench_order_id($1::text, n), 'com.example.bench' || 1 + n % 4, $4::text, 'account-' || n % 10007
from generate_series($2::bigint, $3::bigint) as n
