-- A job for each of the benchmark's orders, with a proof of 64 bytes that the bench's verifier reads. Returns their ids.
--
-- $1 text  seed of the ids, or null     $3 int8  last number
-- $2 int8  first number
insert into counterfoil.jobs (order_id, proof)
select bench_order_id($1::text, n), rpad('eyJ tx ' || 200000000000000 + n || ' coins ', 64, '.')
from generate_series($2::bigint, $3::bigint) as n
returning id
