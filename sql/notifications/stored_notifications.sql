-- Notifications that Apple signed and that have no effect on orders and payments, with all that Apple signed, decoded. Look one
-- up by notification_uuid. The signed text goes after the retention of history, its contents with it.

create or replace view counterfoil.stored_notifications as
select
    n.bundle_id, n.environment, n.notification_uuid, n.type, n.subtype, n.signed_at, n.received_at, n.transaction_id,
    n.original_transaction_id,
    -- What was verified can be read: receive_notification has read it.
    convert_from(decode(p.part || repeat('=', (4 - length(p.part) % 4) % 4), 'base64'), 'UTF8')::jsonb as contents
from counterfoil.notifications n
cross join lateral (select translate(split_part(n.payload, '.', 2), '-_', '+/') as part) p
where n.outcome = 'stored';
comment on view counterfoil.stored_notifications is
    'Notifications without an effect on orders and payments, decoded. Look one up by notification_uuid.';

alter view counterfoil.stored_notifications owner to counterfoil_owner;
grant select on counterfoil.stored_notifications to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
