-- The snapshot of a read. Which of its own writes a session sees, PostgreSQL's snapshot doesn't tell: they count as not committed, and are
-- told after their commit.

create or replace function counterfoil.read_snapshot() returns pg_snapshot
language sql stable set search_path = pg_catalog, pg_temp
as $$
    select
        case
            when pg_visible_in_snapshot(own.xid, s.now) then concat_ws(
                ':', case when own.xid < pg_snapshot_xmin(s.now) then own.xid else pg_snapshot_xmin(s.now) end,
                pg_snapshot_xmax(s.now),
                (select string_agg(r.xid::text, ',' order by r.xid) from (select pg_snapshot_xip(s.now) as xid union select own.xid) r)
            )::pg_snapshot
            else s.now
        end
    from (select pg_current_snapshot() as now) s
    cross join (select pg_current_xact_id_if_assigned() as xid) own
$$;
comment on function counterfoil.read_snapshot() is 'Private: the snapshot of a read, without what its own session wrote.';
