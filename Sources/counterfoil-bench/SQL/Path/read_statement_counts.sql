-- What the statements of a database cost, by the name that the bench gives each, the dearest first. What triggers and functions do
-- is a part of the statement that calls them, and stands for itself as well: it has no name of its own.
--
-- $1 text  database
select s.name, sum(s.total_exec_time) * 1000 as microseconds, sum(s.wal_bytes)::float8 as wal_bytes,
    sum(s.shared_blks_hit + s.shared_blks_read)::float8 as buffers
from (
    select
        c.*,
        case
            when not c.toplevel then 'of these: triggers and functions'
            else coalesce(substring(c.query from '^/\* (\w+) \*/'), 'begin, commit and others')
        end as name
    from public.pg_stat_statements c
    join pg_catalog.pg_database d on d.oid = c.dbid
    where d.datname = $1::text
) s
group by s.name
having sum(s.total_exec_time) > 0
order by bool_and(s.toplevel) desc, sum(s.total_exec_time) desc
