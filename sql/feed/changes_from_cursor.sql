-- A cursor for changes_since that begins anew in place of one that the server doesn't know any more (cursor_unknown): with all that
-- may not have been told to the reader of that cursor. The cursor bears the time. A time that a reader kept by itself, such as that
-- of the last change that it handled, would be too late: a change may be committed minutes after it was written.

create or replace function counterfoil.changes_from_cursor(cursor text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    told text := substring(changes_from_cursor.cursor from '^[^/]+/[0-9:,]+/[0-9:,]*/[0-9]*/(-?[0-9]{0,17}),[0-9]*,[0-9]*[.]$');
begin
    if told is null then
        perform counterfoil.refuse('cursor_unknown');
    end if;
    return counterfoil.changes_from(
        case when told = '' then '-infinity' else to_timestamp(0) + told::bigint * interval '1 microsecond' end);
end
$$;
comment on function counterfoil.changes_from_cursor(text) is
    'The feed: a cursor for changes_since that begins anew in place of one that is unknown, and misses nothing.';

grant execute on function counterfoil.changes_from_cursor(text)
    to counterfoil_backend, counterfoil_support, counterfoil_reader;
