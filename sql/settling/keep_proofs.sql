-- Keeps the proofs of rejected, reviewed and refunded orders, so that they can be judged again.
--
-- Parameters, an element a proof: $1, $2, $3, $4, $5.
insert into counterfoil.proofs (job_id, order_id, transaction_id, proof, reason)
select p.job_id, p.order_id, p.transaction_id, p.proof, p.reason
from unnest(
    $1::bigint[], -- job_id
    $2::text[], -- order_id
    $3::text[], -- transaction_id that the client hinted at, or null
    $4::text[], -- proof
    $5::text[] -- reason
) as p (job_id, order_id, transaction_id, proof, reason)
on conflict (job_id) do nothing
