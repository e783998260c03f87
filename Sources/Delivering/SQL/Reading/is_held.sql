-- Whether an earlier change of the same order waits.
--
-- $1 text  key
select exists (select from {waiting} w where w.key = $1::text and w.next_at is not null) as is_held
