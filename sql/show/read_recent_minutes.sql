-- The outcomes of the attempts of the last 60 minutes that are counted, oldest first; one row a minute, with gaps as zeros.
--
-- $1 text  up to when they are counted, by overview
select
    m.minute, coalesce(sum(t.attempts), 0)::bigint as attempts,
    coalesce(sum(t.attempts) filter (where t.outcome = 'fulfilled'), 0)::bigint as fulfilled
from generate_series(
    $1::text::timestamptz - interval '60 minutes', $1::text::timestamptz - interval '1 minute', interval '1 minute'
) as m (minute)
left join (
    -- Else the counts of a whole day are added up.
    select * from counterfoil.throughput v where v.minute >= $1::text::timestamptz - interval '60 minutes'
) t on t.minute = m.minute
group by m.minute
order by m.minute
