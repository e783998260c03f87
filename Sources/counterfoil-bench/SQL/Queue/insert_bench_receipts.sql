-- Jobs of the benchmark's orders with proofs that the program made.
--
-- $1 int8  first number     $2 text[]  proofs, in order of the numbers
insert into counterfoil.jobs (order_id, proof)
select public.bench_order_id(null, $1::bigint + p.place - 1), p.proof
from unnest($2::text[]) with ordinality as p (proof, place)
