-- Private: a percentile of a histogram, as the upper bound of the bucket that it falls into; null beyond the last bound.
--
-- reached holds how many attempts lie in each of the buckets or below it, in their order. The bucket is the one after those by
-- which fewer than the percentile were reached. A plain expression, so that it becomes a part of the view that calls it.

create or replace function counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[])
returns double precision
language sql immutable parallel safe
begin atomic
    select (counterfoil.latency_bounds())[
        1 + buckets[1 + width_bucket((reached[cardinality(reached)] * percent + 99) / 100 - 1, reached)]
    ];
end;
comment on function counterfoil.latency_percentile(integer, smallint[], bigint[]) is
    'Private: a percentile of a histogram, in seconds.';

-- A view's functions are called with the rights of whoever reads it.
grant execute on function counterfoil.latency_percentile(integer, smallint[], bigint[])
    to counterfoil_worker, counterfoil_support, counterfoil_reader;
