-- Tells the feed of a notification that has no effect on orders and payments: Apple's word about something else, or of a type
-- that we don't know. A test is none.

create or replace function counterfoil.tell_stored_notification() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, details)
    values (
        'notification_stored', new.transaction_id, new.environment, new.bundle_id,
        jsonb_strip_nulls(jsonb_build_object('type', new.type, 'subtype', new.subtype, 'uuid', new.notification_uuid))
    );
    return null;
end
$$;
comment on function counterfoil.tell_stored_notification() is 'Private: tells the feed of a notification without an effect.';

select counterfoil.make_trigger('counterfoil.notifications', 'stored_notifications_are_told', $$
    after update on counterfoil.notifications
    for each row when (new.outcome = 'stored' and old.outcome is distinct from 'stored' and new.type <> 'TEST')
    execute function counterfoil.tell_stored_notification()
$$);
