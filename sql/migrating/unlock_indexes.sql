-- Lets the next session make indexes. No row when this session isn't the one that may.
delete from counterfoil.index_makers m where m.pid = pg_backend_pid() returning m.pid
