-- The fence: ends or locks the jobs whose lease is still held, locks their orders, and returns those orders.
--
-- An order that doesn't come back belongs to a job whose lease is lost; nothing may be written for it. A batch holds
-- an order at most once, so that an order names its job. Lock order everywhere: jobs by id, then orders by order_id.
--
-- A job that holds a lease is running. It is said by the lease here: "state = 'running'" would offer the planner the index
-- of all that runs, which it takes for empty whenever its statistics were made while nothing ran. The jobs are named twice,
-- and the orders are in an array: each is a look-up, where a join may read all of an index that it takes for small.
--
-- What waited for the end of one of these jobs, because jobs of one order run one at a time, is due from now on: claims
-- look for what became due lately. Its turn stays, as long as all of it moves. Locks on it are not waited for: whoever
-- holds one is about to run it or to take it away.
--
-- $1 int8[]  jobs
-- $2 int8[]  their lease tokens
-- $3 bool[]  whether the job ends and leaves the queue
with settling as (
    select * from unnest($1::bigint[], $2::bigint[], $3::boolean[]) as s (job_id, lease_token, ends)
), ended as (
    delete from counterfoil.jobs j
    using settling s
    where s.ends and j.id = any ($1::bigint[]) and j.id = s.job_id and j.lease_token = s.lease_token
        and j.lease_expires_at is not null
    returning j.order_id
), kept as materialized (
    select j.order_id
    from counterfoil.jobs j
    join settling s on j.id = s.job_id and j.lease_token = s.lease_token
    where not s.ends and j.id = any ($1::bigint[]) and j.lease_expires_at is not null
    order by j.id
    for no key update of j
), settled as materialized (
    select order_id from ended union all select order_id from kept
), next as materialized (
    select w.id
    from settled e
    cross join lateral (
        select j.id
        from counterfoil.jobs j
        -- Available; said so, the planner would be offered the index of all that is. The limit keeps it a look-up for each
        -- order.
        where j.order_id = e.order_id and j.state not in ('running', 'discarded') and j.run_at < now()
        limit 100
        for no key update of j skip locked
    ) w
), called as (
    update counterfoil.jobs j set run_at = now() where j.id = any (array(select n.id from next n))
)
select o.order_id
from counterfoil.orders o
where o.order_id = any (array(select order_id from settled))
order by o.order_id
for no key update
