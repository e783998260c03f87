-- The proof of a job; who took it, and why, is recorded.
--
-- $1 int8  job    $2 text  who    $3 text  why
select t.order_id, t.proof from counterfoil.take_proof($1::bigint, $2::text, $3::text) t
