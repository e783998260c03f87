-- The session that makes indexes, as far as the current role sees it; no row when there is none.
select
    format(
        'process %s (role %s, application %s%s) makes indexes', m.pid, coalesce(a.usename, '?'), coalesce(a.application_name, '?'),
        ', connected since ' || to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
    ) as holder
from counterfoil.index_makers m
join pg_catalog.pg_stat_activity a on a.pid = m.pid
