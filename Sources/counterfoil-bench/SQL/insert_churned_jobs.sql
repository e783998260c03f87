-- A job for each of those orders, as a shop inserts it.
--
-- $1 int8  first number    $2 int8  last number
insert into counterfoil.jobs (order_id, proof)
select 'churned-' || n, rpad('eyJ churned ' || n || ' ', 64, '.')
from generate_series($1::bigint, $2::bigint) as n
