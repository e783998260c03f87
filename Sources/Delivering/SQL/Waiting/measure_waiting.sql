-- How many changes wait, for how long the oldest of them, and whether the pages are paused.
--
-- $1 int4  failures in a row that pause the pages
select
    m.waiting, m.oldest, s.failures >= $1::integer and m.waiting > 0 as is_paused
from {state} s
cross join (
    select count(*) as waiting, coalesce(extract(epoch from clock_timestamp() - min(w.since)), 0)::double precision as oldest
    from {waiting} w
    where w.next_at is not null
) m
