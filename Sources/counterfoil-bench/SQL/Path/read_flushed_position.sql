-- Up to where the log is on disk: the end of the last commit, or later.
select pg_catalog.pg_current_wal_flush_lsn()::text
