-- Ends every other session of this database, as an operator or a failover would.
select count(pg_terminate_backend(a.pid))
from pg_catalog.pg_stat_activity a
where a.datname = current_database() and a.pid <> pg_backend_pid()
