-- One notification with what Apple signed, by its row or by Apple's uuid.
--
-- $1 text  the id of the row, or the uuid
select
    n.id, n.notification_uuid, n.bundle_id, n.environment, n.type, n.subtype, n.transaction_id, n.original_transaction_id, n.order_id,
    coalesce(n.outcome, case when n.is_of_an_app then 'unverified' else 'unknown_app' end) as outcome, n.message, n.source, n.signed_at,
    n.received_at, n.processed_at, octet_length(n.payload) as payload_bytes, j.id as job_id, j.state as job_state, j.run_at, j.attempt
from counterfoil.notifications_named($1::text) f (id)
-- Idiom: offset 0.
cross join lateral (select * from counterfoil.notifications n where n.id = f.id offset 0) n
left join lateral (
    select * from counterfoil.jobs j where j.notification_id = n.id and j.kind = 'notification' offset 0
) j on true
order by n.id
