-- The waits that are meant, with their bounds in seconds.
select
    m.wait, array_to_string(m.reasons, ','), extract(epoch from m.next_within)::double precision,
    extract(epoch from m.bound)::double precision
from counterfoil.meant_waits m
order by m.place
