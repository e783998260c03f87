-- Orders that don't get on: pending jobs that have waited for a quarter of an hour, and the thousand orders that have been in
-- review for longest.
--
-- Of the jobs the oldest thousand (among the oldest twenty thousand, which may be follow-ups or given up), and the first twenty
-- of each lane and priority: the many that one app has parked don't hide another's few.

create or replace view counterfoil.stuck_orders as
select
    o.order_id, o.bundle_id, o.product_id, o.account_id, o.state,
    case
        when j.state = 'running' then coalesce(j.reason, 'running')
        when g.state = 'open' then coalesce(j.reason, 'waiting')
        when g.closed_by = 'configuration' then 'configuration'
        when g.closed_by = 'operator' then 'closed_by_operator'
        when g.closed_by = 'budget' then 'rate_limited'
        when g.closed_by = 'breaker' then 'app_store_unavailable'
        else 'no_gate'
    end as why,
    j.created_at as since, j.id as job_id, j.attempt as attempts, j.run_at as next_attempt_at, g.why as gate_says
from counterfoil.jobs j
join counterfoil.orders o on o.number = j.order_number
left join counterfoil.gates g on g.lane = j.lane
where j.id = any (array(
        (
            select q.id
            from (select f.id, f.state, f.kind from counterfoil.jobs f order by f.id limit 20000) q
            where q.state <> 'discarded' and q.kind = 'verify'
            order by q.id
            limit 1000
        )
        union
        select f.id
        from counterfoil.lane_backlogs b
        cross join generate_series(0, 3) as p (priority)
        cross join lateral (
            select q.id
            from counterfoil.jobs q
            where q.state = 'available' and q.lane = b.lane and q.priority = p.priority
            order by q.run_at, q.id
            limit 20
        ) f
    ))
    and j.state <> 'discarded' and j.kind = 'verify' and j.created_at < now() - interval '15 minutes'
    and o.state not in ('fulfilled', 'refunded')
union all
select
    o.order_id, o.bundle_id, o.product_id, o.account_id, o.state, o.reason, w.since,
    -- The dead letter, where one was kept.
    (
        select j.id from counterfoil.jobs j
        where j.order_number = o.number and j.state = 'discarded' order by j.id desc limit 1
    ),
    o.attempts, null, null
from (select * from counterfoil.orders_in_review r order by r.since limit 1000) w
join counterfoil.open_reviews o on o.order_id = w.order_id;
comment on view counterfoil.stuck_orders is
    'Orders whose proof has waited for 15 minutes, and orders in review: why, and since when. The oldest thousand of each, and '
    'the next of each gate.';

alter view counterfoil.stuck_orders owner to counterfoil_owner;
grant select on counterfoil.stuck_orders to counterfoil_worker, counterfoil_support, counterfoil_reader;
