-- Makes changes readable that bear the transaction numbers of another server: those of a restored database. They all get the number
-- of this database transaction. For the migrator; true if it did so.
--
-- Numbers that were given after the backup was made aren't given again, since new ones have a higher epoch: what a reader knows by
-- a number stays known.

create or replace function counterfoil.adopt_changes() returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    rows_an_epoch constant bigint := 10000000000;
    -- More failovers than there are between a backup and its restore.
    epochs_lost constant integer := 10;
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
        update counterfoil.feed f
        set epoch_offset = f.epoch_offset + epochs_lost + greatest(
            0,
            greatest((select max(c.id) from counterfoil.changes c), f.dropped_id) / rows_an_epoch
            - counterfoil.next_change_id() / rows_an_epoch
        );
        -- What the shop was sent since the backup is unknown here: an operator says where to begin.
        update counterfoil.webhook_endpoints w set off_since = coalesce(w.off_since, now()), off_because = 'restored';
    end if;
    update counterfoil.feed f set server = counterfoil.feed_server(), dropped_xid = '0';
    return of_server <> '';
end
$$;
comment on function counterfoil.adopt_changes() is 'Private: makes the changes of a restored database readable.';
