-- The waiting change to try next. Of each order only the earliest has a time.
--
-- $1 bool  one that isn't due will do
select
    w.id, w.key, w.tries,
    {change} as change
from {waiting} w
where w.next_at < 'infinity' and ($1::boolean or w.next_at <= clock_timestamp())
order by w.next_at, w.id
limit 1
