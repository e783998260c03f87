-- The fence: ends or locks the jobs whose lease is still held, locks their orders, and returns those orders.
--
-- An order that doesn't come back belongs to a job whose lease is lost; nothing may be written for it. A batch holds
-- an order at most once, so that an order names its job. Lock order everywhere: jobs by id, then orders by order_id.
--
-- A job that holds a lease is running. Each is looked up by itself, which the limit keeps so: a join may read all of an index
-- that it takes for small, or compare each with each. Locked first, then deleted by id, and the orders in an array, for the same
-- reason.
--
-- What waited for the end of one of these jobs, because jobs of one order run one at a time, is due from now on: claims
-- look for what became due lately. Its turn stays, as long as all of it moves. Locks on it are not waited for: whoever
-- holds one is about to run it or to take it away.
--
-- $1 int8[]  jobs
-- $2 int8[]  their lease tokens
-- $3 bool[]  whether the job ends and leaves the queue
with settling as materialized (
    select j.id, j.order_id, s.ends
    from (
        select * from unnest($1::bigint[], $2::bigint[], $3::boolean[]) as s (job_id, lease_token, ends) order by s.job_id
    ) s
    cross join lateral (
        select j.id, j.order_id
        from counterfoil.jobs j
        where j.id = s.job_id and j.lease_token = s.lease_token and j.lease_expires_at is not null
        limit 1
        for no key update of j
    ) j
), ended as (
    delete from counterfoil.jobs j where j.id = any (array(select s.id from settling s where s.ends))
), next as materialized (
    select w.id
    from settling e
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
where o.order_id = any (array(select s.order_id from settling s))
order by o.order_id
for no key update
