-- The last part of a cursor after a whole read: the time before which everything was told, in microseconds since 1970, and what it
-- takes to move it on (changes_since).
--
-- This database transaction's beginning is the next time to move on to. Whatever was written before it bears a number below the
-- server's next one, or below this database transaction's own, if it has one: age counts from there.

create or replace function counterfoil.told_after(told text, seen pg_snapshot) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    part constant text[] := string_to_array(told, ',');
    is_over constant boolean := nullif(part[3], '')::numeric <= pg_snapshot_xmin(seen)::text::numeric;
    newest constant xid8 := pg_snapshot_xmax(pg_current_snapshot());
begin
    if not is_over then
        return told;
    end if;
    return concat_ws(
        ',', coalesce(case when is_over then part[2] end, part[1]), floor(extract(epoch from now()) * 1000000)::bigint,
        newest::text::bigint + age(newest::xid));
end
$$;
comment on function counterfoil.told_after(text, pg_snapshot) is 'Private: the last part of a cursor after a whole read.';
