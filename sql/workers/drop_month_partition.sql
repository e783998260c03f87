-- Drops rows of a table past a horizon: one partition a call, then a batch of what the default partition holds.
--
-- It needs the table alone for a moment. It gives up at once where others are in the way and is tried again with the next
-- maintenance, so that settlements hardly wait.
--
-- Idioms: lock first, ctid.

create or replace function counterfoil.drop_month_partition(of_table text, by_column text, horizon timestamptz, note text)
returns integer
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO'
    set lock_timeout = '200ms'
as $$
declare
    by_default constant text := of_table || '_default';
    old text;
    has_old boolean;
begin
    select min(c.relname) into old
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = format('counterfoil.%I', of_table)::regclass and c.relname ~ ('^' || of_table || '_[0-9]{4}_[0-9]{2}$')
        and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' <= horizon;
    if old is null then
        execute format('select exists (select from counterfoil.%I d where d.%I < $1)', by_default, by_column)
            into has_old using horizon;
        if not has_old then
            return 0;
        end if;
    end if;
    -- Writers that are in progress, which come by the whole table, are over then: the note counts their rows.
    if old is not null then
        execute format('lock table only counterfoil.%I in access exclusive mode', of_table);
        execute format(note, old, horizon);
        execute format('drop table counterfoil.%I', old);
    else
        execute format('lock table counterfoil.%I in share row exclusive mode', by_default);
        execute format(note, by_default, horizon);
        execute format(
            'delete from counterfoil.%1$I where ctid in (select d.ctid from counterfoil.%1$I d where d.%2$I < $1 limit 1000)',
            by_default, by_column
        ) using horizon;
    end if;
    return 1;
exception when lock_not_available or undefined_table then
    -- Somebody uses it, or another worker was faster.
    return 0;
end
$$;
comment on function counterfoil.drop_month_partition(text, text, timestamptz, text) is
    'Private: drops one partition of a table whose rows are all before the horizon, or a batch of such rows '
    'of the default partition, after a statement that notes them (%1$I is the partition, %2$L the horizon); returns 0 when nothing was dropped.';
