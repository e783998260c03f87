-- Notes what Apple asks the shop about refunds, and that it asks no more once a refund was made or declined. Apple takes an answer
-- for twelve hours from when it signed the question: appstoreserverapi/send-consumption-information.
--
-- Parameters, an element a notification: $1, $2, $3.
--
-- Idioms: array of one, offset 0.
with entry as materialized (
    select e.*, n.bundle_id, n.environment, n.transaction_id, n.received_at, coalesce(n.signed_at, n.received_at) as told_at
    from unnest(
        $1::bigint[], -- notification_id
        $2::boolean[], -- asks, or else closes
        $3::text[] -- reason, or null
    ) as e (notification_id, asks, reason)
    join counterfoil.notifications n on n.id = any (array[e.notification_id])
), asked as (
    insert into counterfoil.consumption_requests (
        notification_id, bundle_id, environment, transaction_id, reason, requested_at, deadline, closed_at
    )
    select
        e.notification_id, e.bundle_id, e.environment, e.transaction_id, e.reason, e.told_at, e.told_at + interval '12 hours',
        -- It may have been answered before this came.
        (
            select min(coalesce(n.signed_at, n.received_at))
            from (
                select n.* from counterfoil.notifications n where n.transaction_id = any (array[e.transaction_id]) offset 0
            ) n
            where n.bundle_id = e.bundle_id and n.environment = e.environment
                and n.type in ('REFUND', 'REFUND_DECLINED') and n.outcome is not null
                and coalesce(n.signed_at, n.received_at) >= e.told_at
        )
    from entry e
    where e.asks
    on conflict do nothing
)
update counterfoil.consumption_requests c
set closed_at = e.told_at
from entry e
where not e.asks and c.transaction_id = e.transaction_id and c.bundle_id = e.bundle_id and c.environment = e.environment
    and c.closed_at is null and c.requested_at <= e.told_at
