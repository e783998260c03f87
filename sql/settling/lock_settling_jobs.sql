-- The fence: deletes or locks the jobs whose lease is still held, locks their orders, and returns these orders.
--
-- An order that doesn't come back belongs to a job whose lease is lost: nothing may be written for it. A batch holds an order
-- at most once, so that an order identifies its job. Locks are taken in the same sequence everywhere: jobs by id, then orders
-- by order_id.
--
-- Jobs of one order run one at a time. The jobs that waited for one of these are due from now on, since claims only find jobs
-- that became due lately. All of them move together, so that their turns stay. A job that somebody else has locked is skipped:
-- that session is about to run it or to take it away.
--
-- $1 int8[]  jobs
-- $2 int8[]  their lease tokens
-- $3 bool[]  whether the job ends and leaves the queue
--
-- Idioms: lock first, lateral look-up, lease not state, array of ids.
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
        -- Available jobs. The condition "state = 'available'" would offer the planner the index of all available jobs.
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
