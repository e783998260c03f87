-- A job for each of the benchmark's orders, with a proof of 64 bytes that the bench's verifier reads. Returns their ids.
--
-- $1 int8  first number     $2 int8  last number     $3 text  product
insert into counterfoil.jobs (order_id, proof)
select public.bench_order_id(null, n), rpad('eyJ tx ' || 200000000000000 + n || ' ' || $3::text || ' ', 64, '.')
from generate_series($1::bigint, $2::bigint) as n
returning id
