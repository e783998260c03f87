-- No statement of this session waits for a lock for longer, until it is set again.
--
-- $1 text  the longest wait, with its unit; 0: without end
select set_config('lock_timeout', $1::text, false)
