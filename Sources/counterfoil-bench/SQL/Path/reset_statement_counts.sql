-- Forgets what was counted.
select pg_stat_statements_reset()
