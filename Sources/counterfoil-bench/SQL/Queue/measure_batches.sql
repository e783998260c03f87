-- How many attempts ended since a time, and in how many claims and settlements.
--
-- $1 timestamptz  since
select count(*), count(distinct (a.worker_id, a.claimed_at)), count(distinct (a.worker_id, a.finished_at))
from counterfoil.attempts a
where a.finished_at >= $1::timestamptz
