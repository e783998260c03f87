-- Payers who wait beyond the bound of their wait now: a row for each wait that is meant (meant_waits), with how many, and one for
-- what no row explains. Zero everywhere is the promise. A payer is an order with a proof that waits to be judged.
--
-- Of the jobs those are looked at that come first in one way: the thousand leases that ended first; of each lane and priority the
-- twenty that are due for longest, and the twenty that are put off furthest; the oldest thousand. Where some wait too long, more
-- may. Behind a closed gate all wait alike.
--
-- Idioms: bounded count, a range scan for each priority, array of ids, row look-up, the index's own condition ("leases").

create or replace view counterfoil.promise as
with meant as materialized (
    select m.place, m.wait, m.reasons, m.next_within, m.bound, m.since from counterfoil.meant_waits m
), backlog as materialized (
    select b.lane, b.waiting, b.due, g.state, g.closed_by, g.closed_at, g.probe_at, g.probe_until
    from counterfoil.lane_backlogs b
    join counterfoil.gates g on g.lane = b.lane
    -- A follow-up is nobody's wait.
    where g.route <> 'finish_transaction'
), looked_at as (
    select
        j.id, j.order_number, j.created_at, j.run_at, j.lease_expires_at, j.state, j.reason, j.rescues, j.missing_since,
        o.order_id as waiting_order_id, g.state as gate, g.opened_at
    from counterfoil.jobs j
    join counterfoil.orders o on o.number = j.order_number
    join counterfoil.gates g on g.lane = j.lane
    where j.id = any (array(
            (
                select l.id from counterfoil.jobs l
                where l.lease_expires_at > '-infinity' and l.lease_expires_at < now()
                order by l.lease_expires_at
                limit 1000
            )
            union
            select f.id
            from backlog b
            cross join generate_series(0, 3) as p (priority)
            cross join lateral (
                (
                    select q.id from counterfoil.jobs q
                    where q.state = 'available' and q.lane = b.lane and q.priority = p.priority and q.run_at < now()
                        and b.state = 'open'
                    order by q.run_at, q.id
                    limit 20
                )
                union all
                (
                    select q.id from counterfoil.jobs q
                    where q.state = 'available' and q.lane = b.lane and q.priority = p.priority and q.run_at > now()
                    order by q.run_at desc, q.id desc
                    limit 20
                )
            ) f
            union
            (
                select q.id
                from (select f.id, f.state, f.kind from counterfoil.jobs f order by f.id limit 20000) q
                where q.state <> 'discarded' and q.kind = 'verify'
                order by q.id
                limit 1000
            )
        ))
        and j.kind = 'verify' and j.state <> 'discarded' and o.state not in ('fulfilled', 'refunded')
), waiting as (
    select
        j.id, j.waiting_order_id, j.created_at, j.run_at, j.gate, j.opened_at, j.lease_expires_at, j.state, j.rescues,
        j.missing_since,
        -- The wait that its reason means, if it has one.
        m.wait as meant,
        case
            when j.state = 'running' then 'lease'
            when j.run_at > now() and j.rescues > 4 then 'rescue'
            when j.run_at > now() and j.reason is null then 'held'
            when j.run_at > now() then coalesce(m.wait, 'unexplained')
            -- Behind a closed gate, or another job of its order runs: that ends with its lease.
            when j.gate = 'closed'
                or (select true from counterfoil.jobs s where s.order_number = j.order_number and s.state = 'running' limit 1)
                then null
            when j.opened_at > j.run_at then 'outage'
            else 'claim'
        end as wait
    from looked_at j
    left join meant m on j.reason = any (m.reasons)
), late as (
    select distinct on (w.id) w.id, m.wait, w.waiting_order_id as order_id, 1::bigint as payers, now() - w.created_at as waited
    from waiting w
    join meant m on m.wait in (w.wait, w.meant)
    where case m.wait
            when 'lease' then w.lease_expires_at < now() - m.bound
            when 'claim' then w.run_at < now() - m.bound
            when 'outage' then w.opened_at < now() - m.bound
            else w.wait = m.wait and w.run_at > now() + m.next_within
                or w.gate = 'open' and (w.wait = m.wait or w.meant = m.wait)
                and case m.wait when 'missing' then coalesce(w.missing_since, w.created_at) else w.created_at end < now() - m.bound
        end
    order by w.id, m.place
), parked as (
    select
        m.wait, null::text as order_id, b.waiting as payers,
        now() - case m.wait when 'probe' then greatest(b.probe_at, b.probe_until) else b.closed_at end as waited
    from backlog b
    join meant m on m.wait = case b.closed_by
        when 'configuration' then 'configuration'
        when 'operator' then 'closed_by_operator'
        else 'probe'
    end
    where b.state = 'closed' and b.waiting > 0
        and case m.wait
            -- A probe needs a job that is due.
            when 'probe' then b.due > 0 and greatest(b.probe_at, b.probe_until) < now() - m.bound
            else b.closed_at < now() - m.bound
        end
), found as (
    select l.wait, l.order_id, l.payers, l.waited from late l
    union all
    select 'unexplained', w.waiting_order_id, 1, now() - w.created_at from waiting w where w.wait = 'unexplained'
    union all
    select p.wait, p.order_id, p.payers, p.waited from parked p
)
select
    m.wait, coalesce(sum(f.payers), 0)::bigint as payers, max(f.waited) as longest,
    (array_agg(f.order_id order by f.waited desc) filter (where f.order_id is not null))[1] as order_id, m.bound, m.since
from (
    select w.place, w.wait, w.bound, w.since from meant w
    union all
    select 15, 'unexplained', interval '0', 'its upload'
) m
left join found f on f.wait = m.wait
group by m.place, m.wait, m.bound, m.since
order by m.place;
comment on view counterfoil.promise is
    'Payers who wait beyond the bound of their wait now, by what they wait for: how many, for how long, the order that waits '
    'longest. All zero is the promise.';

alter view counterfoil.promise owner to counterfoil_owner;
grant select on counterfoil.promise to counterfoil_worker, counterfoil_support, counterfoil_reader;
