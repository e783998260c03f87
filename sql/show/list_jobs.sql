-- Jobs, oldest first, by state or order where given. No proofs.
--
-- $1 text  state, or null    $2 text  order, or null    $3 int4  the most to list
select
    j.id, j.order_id, j.kind, j.state, case when j.state = 'available' and g.state = 'closed' then 'parked' end as parked,
    j.reason, j.attempt, j.rescues, j.crashes, j.run_at, j.lease_expires_at, j.worker_id, g.bundle_id, g.route,
    g.environment, octet_length(j.proof) as proof_bytes, j.created_at
from counterfoil.jobs j
left join counterfoil.gates g on g.lane = j.lane
where ($1::text is null or j.state = $1::text)
    and ($2::text is null or j.order_number = (select o.number from counterfoil.orders o where o.order_id = $2::text))
order by j.id
limit $3::integer
