-- The attempts of past orders: the last one says what came of it, those before it failed. The last one of a granted order stands in
-- its payment's row.
--
-- $1 text  first order    $2 text  last order    $3 int4  attempts of each order
insert into counterfoil.other_attempts (
    job_id, order_number, lease_token, attempt, disposition, reason, proof_kind, environment, transaction_id, worker_id,
    submitted_at, claimed_at, finished_at
)
select
    1, o.number, k, k, case when k < $3::integer then 'retry' else 'complete' end,
    case when k < $3::integer then 'app_store_unavailable' else o.reason end, 'app_receipt', 'production',
    case when k = $3::integer then o.transaction_id end, 1, o.created_at, o.created_at + k * interval '0.5 seconds',
    o.created_at + k * interval '0.5 seconds' + interval '0.3 seconds'
from counterfoil.orders o
cross join generate_series(1, $3::integer) as k
where o.order_id between $1::text and $2::text and o.state <> 'open'
    and (k < $3::integer or o.state not in ('fulfilled', 'refunded'))
order by o.order_id, k
