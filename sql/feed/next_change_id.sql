-- The number of a new row of changes. An epoch has ten thousand million: those of changes, a thousand a row, stay below 2^53.

create or replace function counterfoil.next_change_id() returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    return counterfoil.with_epoch(nextval('counterfoil.change_ids'), 10000000000);
end
$$;
comment on function counterfoil.next_change_id() is 'Private: the number of a new row of the feed.';
grant execute on function counterfoil.next_change_id() to counterfoil_worker, counterfoil_support;

do $$
begin
    -- Once: it needs the table to itself.
    if not exists (
        select from pg_catalog.pg_attrdef d
        join pg_catalog.pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        where d.adrelid = 'counterfoil.changes'::regclass and a.attname = 'id'
    ) then
        alter table counterfoil.changes alter column id set default counterfoil.next_change_id();
    end if;
end
$$;
