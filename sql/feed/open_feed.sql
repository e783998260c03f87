-- The first part of a cursor: the server of the changes (feed_server), and its timeline. After a failover, transactions that the new server
-- didn't get are lost, and it gives their numbers again.
--
-- Refused on a standby, whose snapshots lack what is in progress; and in a restored database until counterfoil migrate was run.

create or replace function counterfoil.open_feed() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    server text;
begin
    if pg_is_in_recovery() then
        raise exception 'changes are read from the primary'
            using errcode = 'read_only_sql_transaction', schema = 'counterfoil',
                constraint = 'changes_are_read_from_the_primary';
    end if;
    server := counterfoil.feed_server();
    if server is distinct from (select f.server from counterfoil.feed f) then
        raise exception 'the changes are of another server: this database was restored or copied'
            using errcode = 'object_not_in_prerequisite_state', hint = 'Run counterfoil migrate.', schema = 'counterfoil',
                constraint = 'restored_changes_need_a_migration';
    end if;
    return concat(server, '.', substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8));
end
$$;
comment on function counterfoil.open_feed() is 'Private: the server and the timeline, as a cursor names them.';
