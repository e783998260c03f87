-- The number of a new row of changes: its epoch, and a number drawn in that epoch.
--
-- The epoch is the server's timeline, which rises with each failover, and an offset, which rises with each restore (adopt_changes).
-- A failover may lose numbers that the old server gave, and the new one draws them again, for other changes: in a higher epoch. An
-- epoch has ten thousand million rows; then the sequence refuses (2200H). Numbers of changes stay below 2^53 for 900 epochs.

create or replace function counterfoil.next_change_id() returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    rows_an_epoch constant bigint := 10000000000;
    timeline constant bigint := ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint;
begin
    return (timeline + (select f.epoch_offset from counterfoil.feed f)) * rows_an_epoch + nextval('counterfoil.change_ids');
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
