-- The fence: removes or locks the jobs whose lease is still held, and returns them.
--
-- The lease of a job that doesn't come back is lost: nothing may be written for it. A batch holds an order at most once.
--
-- A job that ends for a grant is removed at once, and its order is locked by the grant. The others are locked first, with the orders
-- that their settlement may move. If somebody else has locked one of them, it isn't waited for: is_held, and nothing may be written.
--
-- Jobs of one order run one at a time. The jobs that waited for one of these are due from now on, since claims only find jobs
-- that became due lately. All of them move together, so that their turns stay. A job that somebody else has locked is skipped:
-- that session is about to run it or to take it away.
--
-- $1 int8[]  jobs, ascending
-- $2 int8[]  their lease tokens
-- $3 bool[]  whether the job ends and leaves the queue
-- $4 bool[]  whether the order is locked here
--
-- Idioms: lock first, lateral look-up, array of one, lease not state, array of ids.
with granting as materialized (
    delete from counterfoil.jobs j
    using unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::boolean[]) as s (job_id, lease_token, ends, locks_order)
    where s.ends and not s.locks_order and j.id = any (array[s.job_id]) and j.lease_token = s.lease_token
        and j.lease_expires_at is not null
    returning j.id, j.order_id
), settling as materialized (
    select a.id, a.order_id, s.ends, j.id as job_id, j.id is null or s.locks_order and o.order_id is null as is_held
    from unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::boolean[]) as s (job_id, lease_token, ends, locks_order)
    cross join lateral (
        select j.id, j.order_id
        from counterfoil.jobs j
        where (s.locks_order or not s.ends) and j.id = s.job_id and j.lease_token = s.lease_token and j.lease_expires_at is not null
        limit 1
    ) a
    left join lateral (
        select j.id
        from counterfoil.jobs j
        where j.id = s.job_id and j.lease_token = s.lease_token and j.lease_expires_at is not null
        limit 1
        for no key update of j skip locked
    ) j on true
    left join lateral (
        select o.order_id
        from counterfoil.orders o
        where s.locks_order and j.id is not null and o.order_id = any (array[a.order_id])
        limit 1
        for no key update of o skip locked
    ) o on true
), ended as (
    delete from counterfoil.jobs j where j.id = any (array(select s.job_id from settling s where s.ends and not s.is_held))
), fenced as (
    select g.id, g.order_id, false as is_held from granting g
    union all
    select s.id, s.order_id, s.is_held from settling s
), next as materialized (
    select w.id
    from fenced e
    cross join lateral (
        select j.id
        from counterfoil.jobs j
        -- Available jobs. The condition "state = 'available'" would offer the planner the index of all available jobs.
        where not e.is_held and j.order_id = e.order_id and j.state not in ('running', 'discarded') and j.run_at < now()
        limit 100
        for no key update of j skip locked
    ) w
), called as (
    update counterfoil.jobs j set run_at = now() where j.id = any (array(select n.id from next n))
)
select e.id as job_id, e.is_held from fenced e
