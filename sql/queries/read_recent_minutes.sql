-- What came of the attempts of the last 60 minutes that are counted, oldest first; one row a minute, with gaps as zeros.
select
    m.minute, coalesce(sum(t.attempts), 0)::bigint as attempts,
    coalesce(sum(t.attempts) filter (where t.outcome = 'fulfilled'), 0)::bigint as fulfilled
from counterfoil.overview o
cross join generate_series(o.counted_to - interval '60 minutes', o.counted_to - interval '1 minute', interval '1 minute')
    as m (minute)
left join counterfoil.throughput t on t.minute = m.minute
group by m.minute
order by m.minute
