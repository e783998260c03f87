-- The number of this database transaction.
select pg_current_xact_id()::text as number
