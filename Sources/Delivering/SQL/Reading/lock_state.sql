-- Locks the state. No row: another deliverer holds it.
--
-- $1 int4  failures in a row that pause the pages
select
    s.cursor, s.failures >= $1::integer and exists (select from {waiting} w where w.next_at < 'infinity') as is_paused,
    exists (select from {waiting} w where w.next_at <= clock_timestamp()) as has_due
from {state} s
for update of s skip locked
