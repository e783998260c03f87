-- Drops changes past their retention: one partition a call, then a batch of what the default partition holds.
--
-- Dropping needs the table alone for a moment. It gives up at once where others are in the way and is tried again with the next
-- maintenance. What is dropped is noted first: a cursor that may have missed it is unknown (changes_since).
--
-- Idioms: lock first, ctid.

create or replace function counterfoil.drop_old_changes(retention interval) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO'
    set lock_timeout = '200ms'
as $$
declare
    shortest constant interval := '30 days';
    horizon constant timestamptz := now() - greatest(drop_old_changes.retention, shortest);
    old text;
    last_xid xid8;
    removed integer;
begin
    select min(c.relname) into old
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'counterfoil.changes'::regclass and c.relname ~ '^changes_[0-9]{4}_[0-9]{2}$'
        and (to_date(substr(c.relname, 9), 'YYYY_MM') + interval '1 month') at time zone 'UTC' <= horizon;
    if old is not null then
        begin
            -- Writers that are in progress are over then, and counted.
            execute format('lock table only counterfoil.changes, only counterfoil.%I in access exclusive mode', old);
            execute format('select max(c.xid) from counterfoil.%I c', old) into last_xid;
            update counterfoil.feed f set dropped_xid = greatest(f.dropped_xid, last_xid);
            execute format('drop table counterfoil.%I', old);
            return 1;
        exception when lock_not_available or undefined_table then
            -- Somebody uses it, or another worker was faster.
            return 0;
        end;
    end if;

    with past as materialized (
        select c.ctid from counterfoil.changes_default c
        where c.at < horizon
        limit 1000
        for update skip locked
    ), dropped as (
        delete from counterfoil.changes_default c using past where c.ctid = past.ctid returning c.xid
    ), noted as (
        update counterfoil.feed f
        set dropped_xid = greatest(f.dropped_xid, d.xid)
        from (select max(d.xid) as xid from dropped d) d
        where d.xid is not null
    )
    select count(*) into removed from dropped;
    return (removed > 0)::integer;
end
$$;
comment on function counterfoil.drop_old_changes(interval) is
    'Drops one partition of changes that is past its retention, or a batch of rows without one; returns 0 when nothing was.';

grant execute on function counterfoil.drop_old_changes(interval) to counterfoil_worker;
