-- Notifications of one app that wait to be verified, past the bound that receive_notification has. Returns their jobs, in the order
-- given.
--
-- $1 text    bundle id    $2 text[]  payloads
with notified as (
    insert into counterfoil.notifications (
        notification_uuid, bundle_id, environment, type, source, payload, payload_hash, is_of_an_app
    )
    select gen_random_uuid(), $1::text, 'production', 'ONE_TIME_CHARGE', 'push', p.payload, sha256(convert_to(p.payload, 'UTF8')), true
    from unnest($2::text[]) with ordinality as p (payload, place)
    order by p.place
    returning id
)
insert into counterfoil.jobs (kind, notification_id, lane, priority)
select 'notification', n.id, g.lane, 1
from notified n
join counterfoil.gates g on g.bundle_id = $1::text and g.route = 'local'
order by n.id
returning id
