-- Forgets what was counted.
select public.pg_stat_statements_reset()
