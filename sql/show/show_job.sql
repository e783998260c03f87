-- One job, without its proof.
--
-- $1 int8  job
select
    j.id, j.order_id, j.account_id, j.transaction_id, j.state, j.reason, j.attempt, j.rescues, j.crashes, j.priority,
    j.run_at, j.claimed_at, j.lease_expires_at, j.worker_id, w.name as worker_name, g.bundle_id, g.route, g.environment,
    g.state as gate, octet_length(j.proof) as proof_bytes, j.created_at, j.kind
from counterfoil.jobs j
left join counterfoil.gates g on g.lane = j.lane
left join counterfoil.workers w on w.id = j.worker_id
where j.id = $1::bigint
