-- The snapshot of a read. A snapshot takes the session's own database transaction for committed: here it isn't, so that its changes
-- are told after its commit.

create or replace function counterfoil.read_snapshot() returns pg_snapshot
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    seen constant pg_snapshot := pg_current_snapshot();
    own constant xid8 := pg_current_xact_id_if_assigned();
begin
    if own is null or not pg_visible_in_snapshot(own, seen) then
        return seen;
    end if;
    return concat_ws(
        ':', least(own, pg_snapshot_xmin(seen)), pg_snapshot_xmax(seen),
        (select string_agg(r.xid::text, ',' order by r.xid) from (select pg_snapshot_xip(seen) as xid union select own) r));
end
$$;
comment on function counterfoil.read_snapshot() is 'Private: the snapshot of a read, without what its own session wrote.';
