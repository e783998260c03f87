-- No statement waits for a lock for longer, until the end of this database transaction.
--
-- $1 text  the longest wait, with its unit
select set_config('lock_timeout', $1::text, true)
