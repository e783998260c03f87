-- For each moment: seconds until something was settled; no row when nothing was.
--
-- $1 float8[]  moments, in seconds since 1970    $2 text[]  the worker that must have settled it, or null
-- $3 bool[]  whether it must be a receipt, which was verified
select m.place, (extract(epoch from min(a.finished_at)) - m.moment)::double precision
from unnest($1::double precision[], $2::text[], $3::boolean[]) with ordinality as m (moment, worker, by_apple, place)
join counterfoil.attempts a
    on a.finished_at > to_timestamp(m.moment) and a.disposition <> 'rescue'
        and (not m.by_apple or (a.disposition = 'complete' and a.proof_kind = 'app_receipt'))
        and (
            m.worker is null
            or exists (select from counterfoil.workers w where w.id = a.worker_id and w.name = m.worker)
        )
group by m.place, m.moment
order by m.place
