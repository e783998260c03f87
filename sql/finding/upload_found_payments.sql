-- Brings payments that no client showed to the orders that they were made for (order_of_payment): as a proof, like a client's upload.
-- Where the order's client is waited for, the notification is looked at again then. An order's event says why it was this order.
--
-- Parameters, an element a payment: $1, $2, $3, $4, $5.
with found as materialized (
    select
        e.*, f.order_id, f.why, f.waits_until,
        coalesce('notification ' || n.notification_uuid, 'the history of its customer') as found_by
    from unnest(
        $1::bigint[], -- notification_id: null where Apple's history of a customer shows the payment
        $2::text[], -- bundle_id
        $3::text[], -- environment
        $4::text[], -- transaction_id
        $5::text[] -- proof: the transaction as Apple signed it
    ) as e (notification_id, bundle_id, environment, transaction_id, proof)
    cross join lateral counterfoil.order_of_payment(e.transaction_id, e.bundle_id, e.environment) f
    left join counterfoil.notifications n on n.id = e.notification_id
), uploaded as (
    insert into counterfoil.jobs (order_id, proof, transaction_id, found_by)
    select f.order_id, f.proof, f.transaction_id, f.found_by
    from (select distinct on (d.order_id) d.* from found d where d.waits_until is null order by d.order_id, d.transaction_id) f
    -- It is there already, or the order has no room (prepare_job).
    where (
            select count(*) filter (where j.transaction_id = f.transaction_id and j.found_by is not null) = 0 and count(*) < 20
            from counterfoil.jobs j
            where j.order_id = any (array[f.order_id]) and j.kind = 'verify' and j.state <> 'discarded'
        )
    returning order_id, transaction_id
), told as (
    insert into counterfoil.order_events (order_id, kind, who, why)
    select u.order_id, 'found', 'Apple', format('%s showed transaction %s: %s', f.found_by, f.transaction_id, f.why)
    from uploaded u
    join found f on f.order_id = u.order_id and f.transaction_id = u.transaction_id
), noted as (
    update counterfoil.notifications n
    set order_id = u.order_id
    from uploaded u
    join found f on f.order_id = u.order_id and f.transaction_id = u.transaction_id
    where n.id = any (array[f.notification_id])
)
insert into counterfoil.jobs (kind, notification_id, lane, priority, run_at)
select 'notification', f.notification_id, g.lane, 3, f.waits_until
from found f
join counterfoil.gates g on g.bundle_id = f.bundle_id and g.route = 'local'
where f.waits_until is not null and f.notification_id is not null
on conflict do nothing
