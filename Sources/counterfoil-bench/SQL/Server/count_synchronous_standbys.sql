-- Standbys that commits wait for.
select count(*) from pg_catalog.pg_stat_replication r where r.sync_state = 'sync'
