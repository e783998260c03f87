-- No statement waits for a lock for longer than a tenth of a second, until the end of this database transaction: well below
-- deadlock_timeout, after which the server would end one of those who wait for each other.
select set_config('lock_timeout', '100ms', true)
