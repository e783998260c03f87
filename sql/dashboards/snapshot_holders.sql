-- Who keeps vacuum from removing dead rows of this database: sessions, prepared transactions and replication slots, oldest
-- first. Its owner is a member of pg_monitor, so that a reader sees other roles' sessions, but never what they run.
--
-- A session holds by its snapshot, or by having written: one that is idle after a write has no snapshot any more. Those of
-- other databases hold nothing here, nor does a logical slot's catalog_xmin, which is for the catalogues. A vacuum is left
-- out, since no other vacuum heeds its snapshot. A standby that sends feedback holds one as long as it is connected, anew
-- all the time: its age shows in transactions, not in time.

create or replace function counterfoil.snapshot_holders()
returns table (holder text, pid integer, role name, held_for interval, transactions_behind integer)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select
        case a.backend_type when 'walsender' then 'standby' else 'session' end, a.pid, a.usename, now() - a.xact_start,
        greatest(age(a.backend_xmin), age(a.backend_xid))
    from pg_catalog.pg_stat_activity a
    where (a.backend_xmin is not null or a.backend_xid is not null)
        and (a.datname = current_database() or a.datname is null) and a.pid <> pg_backend_pid()
        and a.pid not in (select v.pid from pg_catalog.pg_stat_progress_vacuum v)
    union all
    select 'prepared transaction ' || p.gid, null, p.owner, now() - p.prepared, age(p.transaction)
    from pg_catalog.pg_prepared_xacts p
    where p.database = current_database()
    union all
    select 'replication slot ' || s.slot_name, s.active_pid, null, null, age(s.xmin)
    from pg_catalog.pg_replication_slots s
    where s.xmin is not null
    order by 5 desc
$$;
comment on function counterfoil.snapshot_holders() is
    'Sessions, prepared transactions and slots that keep vacuum off dead rows, the oldest first; without the text of any query.';

grant execute on function counterfoil.snapshot_holders() to counterfoil_worker, counterfoil_support, counterfoil_reader;
