-- Private: the ids of the notifications that have this text as their id or as Apple's uuid, each by its index.
create or replace function counterfoil.notifications_named(id_or_uuid text) returns setof bigint
language sql stable rows 1 parallel safe
begin atomic
    select n.id from counterfoil.notifications n
    where n.id = case when id_or_uuid ~ '^[0-9]{1,18}$' then id_or_uuid::bigint end
    union
    select n.id from counterfoil.notifications n
    where n.notification_uuid = case when id_or_uuid ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then id_or_uuid::uuid end;
end;
comment on function counterfoil.notifications_named(text) is 'Private: the notifications of an id or a uuid.';
grant execute on function counterfoil.notifications_named(text) to counterfoil_worker, counterfoil_support, counterfoil_reader;
