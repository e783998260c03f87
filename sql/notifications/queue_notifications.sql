-- Queues the notifications that came before their app was added.

create or replace function counterfoil.queue_notifications() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    with waiting as (
        update counterfoil.notifications n
        set is_of_an_app = true
        where n.bundle_id = new.bundle_id and n.outcome is null and not n.is_of_an_app
        returning n.id
    )
    insert into counterfoil.jobs (kind, notification_id, lane, priority)
    select 'notification', w.id, new.lane, 3 from waiting w order by w.id;
    return null;
end
$$;
comment on function counterfoil.queue_notifications() is 'Private: queues the notifications that came before their app was added.';

select counterfoil.make_trigger('counterfoil.gates', 'queue_notifications', $$
    after insert on counterfoil.gates
    for each row when (new.route = 'local')
    execute function counterfoil.queue_notifications()
$$);
