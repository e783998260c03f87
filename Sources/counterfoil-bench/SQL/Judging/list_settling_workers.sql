-- The names of the workers that completed something since a moment.
--
-- $1 float8  in seconds since 1970
select distinct w.name
from counterfoil.attempts a
join counterfoil.workers w on w.id = a.worker_id
where a.disposition = 'complete' and a.claimed_at > to_timestamp($1::double precision)
order by w.name
