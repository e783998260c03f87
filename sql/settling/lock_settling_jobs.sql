-- The fence: removes or locks the jobs whose lease is still held, and returns them.
--
-- The lease of a job that doesn't come back is lost: nothing may be written for it. A batch holds an order at most once.
--
-- The jobs are locked first, with the orders that their settlement may move; a grant locks its order itself. If somebody else has
-- locked one of them, it isn't waited for: is_held, and nothing may be written. A claim that takes nothing may have locked a
-- running job for as long as it lasts: it locks the newest version of a row before it looks at that version's state.
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
with settling as materialized (
    select s.job_id, s.ends, coalesce(j.order_number, h.order_number) as order_number,
        j.id is null or s.locks_order and o.number is null as is_held
    from unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::boolean[]) as s (job_id, lease_token, ends, locks_order)
    left join lateral (
        select j.id, j.order_number
        from counterfoil.jobs j
        where j.id = s.job_id and j.lease_token = s.lease_token and j.lease_expires_at is not null
        limit 1
        for no key update of j skip locked
    ) j on true
    -- Of those that didn't come back: the jobs whose lease is held, and which somebody else has locked.
    left join lateral (
        select h.id, h.order_number
        from counterfoil.jobs h
        where j.id is null and h.id = s.job_id and h.lease_token = s.lease_token and h.lease_expires_at is not null
        limit 1
    ) h on true
    left join lateral (
        select o.number
        from counterfoil.orders o
        where s.locks_order and j.id is not null and o.number = any (array[j.order_number])
        limit 1
        for no key update of o skip locked
    ) o on true
    where j.id is not null or h.id is not null
), ended as (
    delete from counterfoil.jobs j where j.id = any (array(select s.job_id from settling s where s.ends and not s.is_held))
), next as materialized (
    select w.id
    from settling e
    cross join lateral (
        select j.id
        from counterfoil.jobs j
        -- Available jobs. The condition "state = 'available'" would offer the planner the index of all available jobs.
        where not e.is_held and j.order_number = e.order_number and not j.is_alone and j.state not in ('running', 'discarded')
            and j.run_at < now()
        limit 100
        for no key update of j skip locked
    ) w
), called as (
    update counterfoil.jobs j set run_at = now() where j.id = any (array(select n.id from next n))
)
select e.job_id, e.is_held from settling e
