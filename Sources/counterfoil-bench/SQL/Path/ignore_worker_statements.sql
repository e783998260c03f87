-- The end of count_worker_statements.sql.
alter role counterfoil_worker reset pg_stat_statements.track
