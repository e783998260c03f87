-- Adds finished attempts to the history.
--
-- Parameters, an element an attempt: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14. And $15 int8, the worker.
insert into counterfoil.other_attempts (
    job_id, order_number, lease_token, attempt, disposition, reason, message, proof_kind, environment, transaction_id,
    worker_id, submitted_at, claimed_at, shown_transaction_ids, app_version
)
select
    a.job_id, a.order_number, a.lease_token, a.attempt, a.disposition, a.reason, a.message, a.proof_kind, a.environment,
    a.transaction_id, $15::bigint, a.submitted_at, a.claimed_at,
    string_to_array(a.shown_transaction_ids, E'\n'), a.app_version
from unnest(
    $1::bigint[], -- job_id
    $2::bigint[], -- order_number
    $3::bigint[], -- lease_token
    $4::integer[], -- attempt
    $5::text[], -- disposition
    $6::text[], -- reason, or null
    $7::text[], -- message, or null
    $8::text[], -- proof_kind, or null
    $9::text[], -- environment, or null
    $10::text[], -- transaction_id, or null
    $11::timestamptz[], -- submitted_at
    $12::timestamptz[], -- claimed_at
    $13::text[], -- shown_transaction_ids, one a line, or null
    $14::text[] -- app_version, or null
) as a (
    job_id, order_number, lease_token, attempt, disposition, reason, message, proof_kind, environment, transaction_id,
    submitted_at, claimed_at, shown_transaction_ids, app_version
)
