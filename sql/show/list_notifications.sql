-- Notifications, the latest first, of an app, a transaction or an order where given. No payloads.
--
-- $1 text  bundle id, or null      $3 text  order, or null
-- $2 text  transaction, or null    $4 int4  the most to list
select
    n.id, n.notification_uuid, n.bundle_id, n.environment, n.type, n.subtype, n.transaction_id, n.order_id,
    coalesce(n.outcome, case when n.is_of_an_app then 'unverified' else 'unknown_app' end) as outcome, n.message, n.source, n.signed_at,
    n.received_at, n.processed_at
from counterfoil.notifications n
where ($1::text is null or n.bundle_id = $1::text)
    and ($2::text is null or n.transaction_id = $2::text)
    and (
        $3::text is null or n.order_id = $3::text
        or n.transaction_id = (
            select p.transaction_id from counterfoil.payments p
            where p.order_number = (select o.number from counterfoil.orders o where o.order_id = $3::text)
        )
    )
order by n.received_at desc, n.id desc
limit $4::integer
