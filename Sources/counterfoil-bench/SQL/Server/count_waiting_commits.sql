-- Commits of workers that wait for a synchronous standby.
select count(*) from pg_stat_activity a where a.wait_event = 'SyncRep' and a.usename = 'counterfoil_worker'
