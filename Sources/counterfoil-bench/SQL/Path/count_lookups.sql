-- How often indexes of this database's tables were looked into so far.
select coalesce(sum(i.idx_scan), 0)::bigint from pg_catalog.pg_stat_user_indexes i
