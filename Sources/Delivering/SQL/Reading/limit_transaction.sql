-- The limits of a delivering database transaction, and where its own names are looked up. They end with it.
--
-- $1 text  how long a statement may take    $2 text  how long the session may be silent
select
    pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), pg_catalog.set_config('statement_timeout', $1::text, true),
    pg_catalog.set_config('lock_timeout', '0', true),
    pg_catalog.set_config('idle_in_transaction_session_timeout', $2::text, true)
