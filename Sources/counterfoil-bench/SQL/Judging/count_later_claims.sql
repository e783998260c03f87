-- For each moment: how many claims came after it and were settled, and how many jobs were never settled.
--
-- $1 float8[]  moments, in seconds since 1970    $2 bool[]  whether only claims of receipts count
select
    m.place,
    (
        select count(*)
        from counterfoil.attempts a
        where a.claimed_at > to_timestamp(m.moment) and a.disposition <> 'rescue'
            and (not m.by_apple or a.proof_kind = 'app_receipt')
    ),
    (select count(*) from counterfoil.jobs j where j.state <> 'discarded')
from unnest($1::double precision[], $2::boolean[]) with ordinality as m (moment, by_apple, place)
order by m.place
