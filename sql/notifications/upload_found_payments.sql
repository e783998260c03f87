-- Brings payments that notifications told of to the orders that they were made for (order_of_payment): as a proof, like a client's upload.
-- Where the order's client is waited for, the notification is looked at again then. An order's event says why it was this order.
--
-- Parameters, an element a payment: $1, $2, $3, $4, $5.
with found as materialized (
    select e.*, f.order_id, f.why, f.waits_until, n.notification_uuid
    from unnest(
        $1::bigint[], -- notification_id
        $2::text[], -- bundle_id
        $3::text[], -- environment
        $4::text[], -- transaction_id
        $5::text[] -- proof: the signed transaction in the notification
    ) as e (notification_id, bundle_id, environment, transaction_id, proof)
    cross join lateral counterfoil.order_of_payment(e.transaction_id, e.bundle_id, e.environment) f
    join counterfoil.notifications n on n.id = e.notification_id
), uploaded as (
    insert into counterfoil.jobs (order_id, proof, transaction_id, notification_id)
    select f.order_id, f.proof, f.transaction_id, f.notification_id
    from (select distinct on (d.order_id) d.* from found d where d.waits_until is null order by d.order_id, d.transaction_id) f
    -- It is there already, or the order has no room (prepare_job).
    where (
            select count(*) filter (where j.transaction_id = f.transaction_id and j.notification_id is not null) = 0 and count(*) < 20
            from counterfoil.jobs j
            where j.order_id = any (array[f.order_id]) and j.kind = 'verify' and j.state <> 'discarded'
        )
    returning order_id, notification_id
), told as (
    insert into counterfoil.order_events (order_id, kind, who, why)
    select u.order_id, 'found', 'Apple', format('notification %s showed transaction %s: %s', f.notification_uuid, f.transaction_id, f.why)
    from uploaded u
    join found f on f.notification_id = u.notification_id
), noted as (
    update counterfoil.notifications n
    set order_id = u.order_id
    from uploaded u
    where n.id = any (array[u.notification_id])
)
insert into counterfoil.jobs (kind, notification_id, lane, priority, run_at)
select 'notification', f.notification_id, g.lane, 3, f.waits_until
from found f
join counterfoil.gates g on g.bundle_id = f.bundle_id and g.route = 'local'
where f.waits_until is not null
on conflict do nothing
