-- Makes changes readable that bear the transaction numbers of another server: those of a restored database. They all get the number
-- of this database transaction. For the migrator; true if it did so.
--
-- Numbers that were given after the backup was made aren't given again: what a reader knows by a number stays known.

create or replace function counterfoil.adopt_changes() returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    -- More changes than anybody makes between two backups.
    numbers_lost constant bigint := 1000000000;
    partition text;
    of_server text := (select f.server from counterfoil.feed f for update);
begin
    if of_server = counterfoil.feed_server() then
        return false;
    end if;
    if of_server <> '' then
        -- The trigger that keeps the table append-only doesn't stand on its partitions.
        for partition in
            select c.relname
            from pg_inherits i
            join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'counterfoil.changes'::regclass
        loop
            execute format('update counterfoil.%I set xid = pg_current_xact_id()', partition);
        end loop;
        perform setval('counterfoil.change_ids', nextval('counterfoil.change_ids') + numbers_lost);
    end if;
    update counterfoil.feed f set server = counterfoil.feed_server(), dropped_xid = '0';
    return of_server <> '';
end
$$;
comment on function counterfoil.adopt_changes() is 'Private: makes the changes of a restored database readable.';
