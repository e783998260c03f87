-- Seconds from the insert of an order's first proof to its grant, and the order, where the proof came between two moments.
--
-- $1 float8, $2 float8  the moments, in seconds since 1970    $3 text[]  orders that don't count
select extract(epoch from o.fulfilled_at - s.submitted_at)::double precision, o.order_id
from counterfoil.orders o
cross join lateral (
    select min(a.submitted_at) as submitted_at from counterfoil.attempts a where a.order_id = o.order_id
) s
where o.fulfilled_at is not null and o.order_id <> all ($3::text[])
    and s.submitted_at between to_timestamp($1::double precision) and to_timestamp($2::double precision)
