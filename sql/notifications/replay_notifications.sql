-- Queues notifications again whose work is over, for instance after a later version knows what they mean. It is harmless: facts
-- that the ledger holds aren't written twice. Returns the rows.
--
-- One that is named is looked up; the idiom is: offset 0.
--
-- $1 text         the id of the row or the uuid, or null    $4 int4  the most to queue
-- $2 text         bundle id, or null                        $5 int8  ids above this one
-- $3 timestamptz  received since, or null
with picked as materialized (
    select f.id, g.lane
    from (
        (
            select n.id, n.bundle_id
            from counterfoil.notifications n
            where $1::text is null and n.payload is not null and n.id > $5::bigint
                and ($2::text is null or n.bundle_id = $2::text)
                and ($3::timestamptz is null or n.received_at >= $3::timestamptz)
                and exists (select from counterfoil.gates g where g.bundle_id = n.bundle_id and g.route = 'local')
            order by n.id
            limit $4::integer
        )
        union all
        select n.id, n.bundle_id
        from counterfoil.notifications_named($1::text) f (id)
        cross join lateral (select * from counterfoil.notifications n where n.id = f.id offset 0) n
        where n.payload is not null and n.id > $5::bigint
            and ($2::text is null or n.bundle_id = $2::text)
            and ($3::timestamptz is null or n.received_at >= $3::timestamptz)
    ) f
    join counterfoil.gates g on g.bundle_id = f.bundle_id and g.route = 'local'
), queued as (
    insert into counterfoil.jobs (kind, notification_id, lane, priority)
    select 'notification', p.id, p.lane, 3 from picked p
    on conflict (notification_id) where kind = 'notification' do nothing
    returning notification_id
)
select p.id, q.notification_id is not null as is_queued
from picked p
left join queued q on q.notification_id = p.id
order by p.id
