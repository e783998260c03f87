-- Ends the sessions of a role.
--
-- $1 text  the role
select count(pg_terminate_backend(a.pid))
from pg_catalog.pg_stat_activity a
where a.usename = $1::text and a.datname = current_database()
