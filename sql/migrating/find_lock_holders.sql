-- The sessions that may hold what a migration waits for, a line each, as far as the current role sees them: those that have held a
-- lock on anything of ours for a second. First those that have locked the book of migrations, then the longest. Before there is a
-- book: those that have written anything.
select
    format(
        'process %s (role %s, application %s%s) holds %s', h.pid, coalesce(a.usename, '?'), coalesce(a.application_name, '?'),
        ', in a database transaction since ' || to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
        h.names
    ) as holder
from (
    select
        l.pid, coalesce(string_agg(distinct c.relname, ', '), 'what it wrote') as names,
        bool_or(c.relname is not distinct from 'migrations' and l.mode <> 'AccessShareLock') as has_book
    from pg_catalog.pg_locks l
    left join pg_catalog.pg_class c
        on c.oid = l.relation and c.relkind <> 'i' and c.relnamespace = to_regnamespace('counterfoil')
            and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
    where l.granted and l.pid <> pg_backend_pid()
        and (c.oid is not null or l.locktype = 'transactionid' and to_regclass('counterfoil.migrations') is null)
    group by l.pid
) h
join pg_catalog.pg_stat_activity a on a.pid = h.pid
where a.datname = current_database() and coalesce(a.xact_start < now() - interval '1 second', true)
order by h.has_book desc, a.xact_start nulls last
limit 5
