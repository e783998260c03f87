-- How many changes an endpoint's cursor hasn't reached, 1000 at most. Null where they can't be read: on a standby, by a cursor that
-- is unknown now, in a restored database that wasn't migrated.

create or replace function counterfoil.unread_changes(cursor text, bundle_ids text[], kinds text[]) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select count(*)
        from counterfoil.changes_since(unread_changes.cursor, 1000) c
        where coalesce(c.bundle_id = any (unread_changes.bundle_ids), unread_changes.bundle_ids is null)
            and coalesce(c.kind = any (unread_changes.kinds), unread_changes.kinds is null)
    );
exception when sqlstate 'ZCU01' or read_only_sql_transaction or object_not_in_prerequisite_state then
    return null;
end
$$;
comment on function counterfoil.unread_changes(text, text[], text[]) is
    'Private: changes that an endpoint''s cursor hasn''t reached.';

-- A view's functions are called with the rights of whoever reads it (webhook_status).
grant execute on function counterfoil.unread_changes(text, text[], text[])
    to counterfoil_worker, counterfoil_support, counterfoil_reader;
