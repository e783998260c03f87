-- Who streams from this server, who confirms its commits, who waits for that, and which slots keep its log; one row. Its owner is a
-- member of pg_monitor, so that a reader sees other roles' sessions. Without that membership the row has the number of connected
-- standbys, and neither their state nor who waits (sees_sessions).
--
-- A base backup, the archiver pg_receivewal and a subscriber are no standbys, unless a commit waits for them. Slots of a standby
-- are left out: Patroni keeps inactive ones there, for after a failover.

create or replace function counterfoil.replication_facts()
returns table (
    is_standby boolean, is_streaming boolean, sees_sessions boolean, sync_names text, needed integer, standbys integer,
    confirming integer, list text, behind bigint, flush_lag interval, waiting integer, waits_for interval, slots text,
    slot_bytes bigint, lax text
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select
        n.is_standby, exists (select from pg_stat_wal_receiver w where w.status = 'streaming'),
        pg_has_role(current_user, 'pg_read_all_stats', 'usage'), n.names,
        -- "ANY 2 (a, b)" and "FIRST 2 (a, b)" wait for two, every other list for one.
        case when n.names <> '' then coalesce(substring(n.names from '(?i)^\s*(?:(?:any|first)\s+)?(\d+)\s*\(')::integer, 1) end,
        r.standbys, r.confirming, r.list, r.behind, r.flush_lag, a.waiting, a.waits_for, s.slots, s.slot_bytes, l.lax
    from (
        select
            pg_is_in_recovery() as is_standby, btrim(current_setting('synchronous_standby_names')) as names,
            case when not pg_is_in_recovery() then pg_current_wal_lsn() end as written
    ) n
    cross join lateral (
        select
            count(*)::integer as standbys, count(*) filter (where w.sync_state in ('sync', 'quorum'))::integer as confirming,
            string_agg(concat_ws(' ', w.application_name, w.sync_state, nullif(w.state, 'streaming')), ', ' order by w.pid) as list,
            -- A standby that has not answered yet has no position.
            max(pg_wal_lsn_diff(n.written, coalesce(w.flush_lsn, w.sent_lsn)))::bigint as behind, max(w.flush_lag) as flush_lag
        from pg_stat_replication w
        where w.sync_state in ('sync', 'quorum') or (
            w.state is distinct from 'backup' and w.application_name not in ('pg_basebackup', 'pg_receivewal')
            and not exists (select from pg_replication_slots o where o.active_pid = w.pid and o.slot_type = 'logical')
        )
    ) r
    cross join lateral (
        select count(*)::integer as waiting, clock_timestamp() - min(b.query_start) as waits_for
        from pg_stat_activity b
        where b.datname = current_database() and b.wait_event = 'SyncRep'
    ) a
    cross join lateral (
        select
            string_agg(
                format(
                    '%s (%s)', o.slot_name,
                    case o.wal_status when 'lost' then 'lost' else pg_size_pretty(pg_wal_lsn_diff(n.written, o.restart_lsn)) end
                ),
                ', ' order by o.restart_lsn
            ) as slots,
            max(pg_wal_lsn_diff(n.written, o.restart_lsn))::bigint as slot_bytes
        from pg_replication_slots o
        where not n.is_standby and not o.active and not o.temporary and (o.restart_lsn is not null or o.wal_status = 'lost')
    ) s
    cross join lateral (
        select string_agg(distinct x.who || ' = ' || x.value, ', ') as lax
        from (
            select 'the server' as who, p.reset_val as value from pg_settings p where p.name = 'synchronous_commit'
            union all
            select coalesce('role ' || nullif(d.setrole, 0)::regrole::text, 'this database'), split_part(c.text, '=', 2)
            from pg_db_role_setting d
            cross join unnest(d.setconfig) as c (text)
            where split_part(c.text, '=', 1) = 'synchronous_commit'
                and d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
                and (d.setrole = 0 or d.setrole in (
                    select o.oid from pg_roles o
                    where o.rolname in ('counterfoil_backend', 'counterfoil_worker', 'counterfoil_support', 'counterfoil_gateway')
                ))
        ) x
        where x.value in ('off', 'local', 'false', 'no', '0')
    ) l
$$;
comment on function counterfoil.replication_facts() is
    'Private: standbys, confirmations, sessions that wait for one, and inactive slots; the view replication judges them.';

grant execute on function counterfoil.replication_facts() to counterfoil_worker, counterfoil_support, counterfoil_reader;
