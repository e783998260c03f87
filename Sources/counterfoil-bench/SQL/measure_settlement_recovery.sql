-- For each moment: seconds until something was settled; no row when nothing was.
--
-- $1 float8[]  moments, in seconds since 1970    $2 text[]  the worker that must have settled it, or null
select m.place, (extract(epoch from min(a.finished_at)) - m.moment)::double precision
from unnest($1::double precision[], $2::text[]) with ordinality as m (moment, worker, place)
join counterfoil.attempts a
    on a.finished_at > to_timestamp(m.moment) and a.disposition <> 'rescue'
        and (
            m.worker is null
            or exists (select from counterfoil.workers w where w.id = a.worker_id and w.name = m.worker)
        )
group by m.place, m.moment
order by m.place
