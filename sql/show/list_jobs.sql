-- Jobs, oldest first, by state or order where given; a page. No proofs.
--
-- Each state is read from an index of its own, but for what is available: there most are, and those that were given up are passed
-- over.
--
-- $1 text  state, or null    $2 text  order, or null    $3 int4  the most to list
-- $4 int8  the last job of the page before, or null
with picked as materialized (
    (
        select j.id from counterfoil.jobs j
        where $2::text is null and coalesce($1::text, 'available') = 'available' and ($1::text is null or j.state = 'available')
            and j.id > coalesce($4::bigint, 0)
        order by j.id
        limit $3::integer
    )
    union all
    (
        select j.id from counterfoil.jobs j
        where $2::text is null and $1::text = 'discarded' and j.state = 'discarded' and j.id > coalesce($4::bigint, 0)
        order by j.id
        limit $3::integer
    )
    union all
    -- As many as workers have slots.
    (
        select j.id from counterfoil.jobs j
        where $2::text is null and $1::text = 'running' and j.lease_expires_at > '-infinity'
    )
    union all
    -- An order has few.
    (
        select j.id from counterfoil.jobs j
        where j.order_number = (select o.number from counterfoil.orders o where o.order_id = $2::text)
    )
)
select
    j.id, j.order_id, j.kind, j.state, case when j.state = 'available' and g.state = 'closed' then 'parked' end as parked,
    j.reason, j.attempt, j.rescues, j.crashes, j.run_at, j.lease_expires_at, j.worker_id, g.bundle_id, g.route,
    g.environment, octet_length(j.proof) as proof_bytes, j.created_at
from picked p
-- Idiom: offset 0.
cross join lateral (select * from counterfoil.jobs j where j.id = p.id offset 0) j
left join counterfoil.gates g on g.lane = j.lane
where ($1::text is null or j.state = $1::text) and j.id > coalesce($4::bigint, 0)
order by j.id
limit $3::integer
