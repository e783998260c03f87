-- Lets the next session make indexes. False when this session isn't the one that may.
select pg_advisory_unlock(hashtextextended('counterfoil.indexes', 0))
