-- Adds finished attempts to the history.
--
-- $1 int8[]  jobs               $7 text[]  messages, or null
-- $2 text[]  orders             $8 text[]  kinds of proof, or null
-- $3 int8[]  lease tokens       $9 text[]  environments, or null
-- $4 int4[]  attempts          $10 text[]  transaction ids, or null
-- $5 text[]  dispositions      $11 int8  worker
-- $6 text[]  reasons, or null  $12 timestamptz[]  submitted at
-- $13 timestamptz[]  claimed at
insert into counterfoil.attempts (
    job_id, order_id, lease_token, attempt, disposition, reason, message, proof_kind, environment, transaction_id,
    worker_id, submitted_at, claimed_at
)
select
    a.job_id, a.order_id, a.lease_token, a.attempt, a.disposition, a.reason, a.message, a.proof_kind, a.environment,
    a.transaction_id, $11::bigint, a.submitted_at, a.claimed_at
from unnest(
    $1::bigint[], $2::text[], $3::bigint[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[], $12::timestamptz[], $13::timestamptz[]
) as a (
    job_id, order_id, lease_token, attempt, disposition, reason, message, proof_kind, environment, transaction_id,
    submitted_at, claimed_at
)
