-- Bytes of WAL written since the server was made.
select (pg_catalog.pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint
