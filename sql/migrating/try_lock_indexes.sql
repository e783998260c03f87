-- Whether this session may make indexes now: one at a time does. It is the session's until it is given back or ends, since
-- an index that is made concurrently is in no database transaction. Nobody waits for it in the database: whoever waits
-- there has a snapshot, and the index would wait for that.
select pg_try_advisory_lock(hashtextextended('counterfoil.indexes', 0))
