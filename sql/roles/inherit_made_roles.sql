-- Whoever makes roles without being a superuser may act as them, until the end of this database transaction. PostgreSQL has this of
-- itself before version 16.
select set_config('createrole_self_grant', 'set, inherit', true) where current_setting('server_version_num')::integer >= 160000
