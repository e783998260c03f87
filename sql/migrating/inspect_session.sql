-- The server, the session and the sizes that doctor judges; one row. The data folder is null for who may not know it.
select
    current_setting('server_version_num')::integer as server_version, current_user::text as role,
    pg_backend_pid() as backend_pid, clock_timestamp() as server_time, pg_is_in_recovery() as in_recovery,
    current_setting('transaction_read_only')::boolean as read_only,
    extract(epoch from current_setting('statement_timeout')::interval)::double precision as statement_timeout_seconds,
    extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::double precision
        as idle_timeout_seconds,
    pg_has_role('counterfoil_owner', 'pg_monitor', 'member') as owner_sees_sessions,
    (select s.setting from pg_catalog.pg_settings s where s.name = 'data_directory') as data_directory,
    inet_server_addr() is null as is_local, pg_database_size(current_database()) as database_bytes,
    pg_total_relation_size('counterfoil.payments') + pg_total_relation_size('counterfoil.originals') as ledger_bytes,
    (
        select coalesce(sum(pg_total_relation_size(i.inhrelid)), 0)::bigint
        from pg_catalog.pg_inherits i where i.inhparent = 'counterfoil.other_attempts'::regclass
    ) as history_bytes
