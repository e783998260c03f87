-- The longest time in which nothing was settled, in seconds.
select coalesce(max(s.gap), 0)::double precision
from (
    select extract(epoch from a.finished_at - lag(a.finished_at) over (order by a.finished_at)) as gap
    from counterfoil.attempts a
    where a.disposition <> 'rescue'
) s
