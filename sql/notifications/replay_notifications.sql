-- Queues notifications again whose work is over, for instance after a later version knows what they mean. It is harmless: facts
-- that the ledger holds aren't written twice. Returns the rows.
--
-- $1 text         the id of the row or the uuid, or null    $4 int4  the most to queue
-- $2 text         bundle id, or null                        $5 int8  ids above this one
-- $3 timestamptz  received since, or null
with picked as materialized (
    select n.id, g.lane
    from counterfoil.notifications n
    join counterfoil.gates g on g.bundle_id = n.bundle_id and g.route = 'local'
    where n.payload is not null and n.id > $5::bigint
        and ($1::text is null or n.id::text = $1::text or n.notification_uuid::text = lower($1::text))
        and ($2::text is null or n.bundle_id = $2::text)
        and ($3::timestamptz is null or n.received_at >= $3::timestamptz)
    order by n.id
    limit $4::integer
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
