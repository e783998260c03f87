-- Ends the readers that a migration waits for, and returns a line for each: sessions of counterfoil_reader, or of a role that has
-- its rights and neither a worker's, a backend's, support's nor the owner's, in a database transaction that is older than a second.
-- False for one that the current role may not end.
--
-- $1 bool  whether a snapshot holds the migration up too, as it does an index that is made concurrently
select
    format(
        'process %s (role %s, application %s%s)', a.pid, a.usename, a.application_name,
        ', in a database transaction since ' || to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
    ) as reader,
    case
        when pg_has_role(a.usesysid, 'usage') or pg_has_role('pg_signal_backend', 'usage') then pg_terminate_backend(a.pid)
        else false
    end as is_ended
from pg_catalog.pg_stat_activity a
join pg_catalog.pg_roles r on r.oid = a.usesysid
where a.datname = current_database() and a.pid <> pg_backend_pid() and not r.rolsuper
    and pg_has_role(r.oid, 'counterfoil_reader', 'member')
    and not exists (
        select from pg_catalog.pg_roles o
        where o.rolname in ('counterfoil_owner', 'counterfoil_backend', 'counterfoil_worker', 'counterfoil_support')
            and pg_has_role(r.oid, o.oid, 'member')
    )
    and coalesce(a.xact_start < now() - interval '1 second', true)
    and (
        $1::boolean and a.backend_xmin is not null or exists (
            select
            from pg_catalog.pg_locks l
            join pg_catalog.pg_class c on c.oid = l.relation and c.relkind <> 'i' and c.relnamespace = to_regnamespace('counterfoil')
            where l.pid = a.pid and l.granted and l.database = a.datid
        )
    )
order by a.pid
