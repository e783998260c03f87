-- Keeps the proofs of rejected, reviewed and refunded orders, so that they can be judged again.
--
-- $1 int8[]  jobs      $3 text[]  hinted transaction ids, or null   $5 text[]  reasons
-- $2 text[]  orders    $4 text[]  proofs
insert into counterfoil.proofs (job_id, order_id, transaction_id, proof, reason)
select p.job_id, p.order_id, p.transaction_id, p.proof, p.reason
from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[]) as p (job_id, order_id, transaction_id, proof, reason)
on conflict (job_id) do nothing
