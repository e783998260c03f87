-- One migration at a time, until the end of this database transaction.
select pg_advisory_xact_lock(hashtextextended('counterfoil.migrations', 0))
