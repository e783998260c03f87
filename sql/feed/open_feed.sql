-- The first part of a cursor: the server of the changes (feed_server), and its timeline. After a failover, transactions that the
-- new server didn't get are lost, and it gives their numbers again.
--
-- Refused on a standby, whose snapshots lack what is in progress; and in a restored database until counterfoil migrate was run.

create or replace function counterfoil.open_feed() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    server text;
begin
    if pg_is_in_recovery() then
        perform counterfoil.refuse('changes_are_read_from_the_primary');
    end if;
    server := counterfoil.feed_server();
    if server is distinct from (select f.server from counterfoil.feed f) then
        perform counterfoil.refuse('restored_changes_need_a_migration');
    end if;
    return concat(server, '.', substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8));
end
$$;
comment on function counterfoil.open_feed() is 'Private: the server and the timeline, as a cursor names them.';
