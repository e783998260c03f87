-- The sessions whose snapshots an index waits for that is made concurrently, a line each, as far as the current role sees them:
-- those of this database that are older than a second, the longest first.
select
    format(
        'process %s (role %s, application %s, in a database transaction since %s) holds a snapshot', a.pid, a.usename,
        a.application_name, to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
    ) as holder
from pg_catalog.pg_stat_activity a
where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_xmin is not null
    and a.xact_start < now() - interval '1 second'
order by a.xact_start
limit 5
