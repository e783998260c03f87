-- One waiting change, and which of its order it waits behind.
--
-- $1 int8  id
select
    w.id, w.key, w.tries,
    {change} as change,
    w.next_at is null as is_skipped,
    (select min(e.id) from {waiting} e where e.key = w.key and e.next_at is not null) as first_id
from {waiting} w
where w.id = $1::bigint
