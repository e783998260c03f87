-- Seconds from a change to its call, of changes between two moments; a row a change.
--
-- $1 float8, $2 float8  the moments, in seconds since 1970
select extract(epoch from c.called_at - c.changed_at)::double precision
from shop.calls c
where c.changed_at between to_timestamp($1::double precision) and to_timestamp($2::double precision)
