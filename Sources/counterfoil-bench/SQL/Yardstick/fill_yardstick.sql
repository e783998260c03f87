-- Orders of the yardstick and their jobs, in turn of its four apps. A job has what the trigger of inserts gave it.
--
-- $1 int8  first number    $2 int8  last number    $3 text  product
with ordered as (
    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
    select 'order-' || lpad(n::text, 26, '0'), 'com.example.bench' || 1 + n % 4, $3::text, 'account-' || n % 10007
    from generate_series($1::bigint, $2::bigint) as n
    returning order_id, bundle_id
)
insert into counterfoil.jobs (order_id, proof, lane)
select
    o.order_id, rpad('eyJ tx ' || 200000000000000 + right(o.order_id, 26)::bigint || ' ' || $3::text || ' ', 64, '.'),
    g.lane
from ordered o
join counterfoil.gates g on g.bundle_id = o.bundle_id and g.route = 'local'
order by o.order_id
