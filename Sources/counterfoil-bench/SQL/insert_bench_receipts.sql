-- Jobs of the benchmark's orders with proofs that the program made.
--
-- $1 text  seed of the ids, or null     $3 text[]  proofs, in order of the numbers
-- $2 int8  first number
insert into counterfoil.jobs (order_id, proof)
select bench_order_id($1::text, $2::bigint + p.place - 1), p.proof
from unnest($3::text[]) with ordinality as p (proof, place)
