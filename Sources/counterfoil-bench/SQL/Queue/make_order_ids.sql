-- The id of the benchmark's order of a number: spread like random ones by a seed, or without one ascending, as sequences and
-- ids that begin with a time are.
create or replace function public.bench_order_id(seed text, number bigint) returns text
language sql stable parallel safe
return coalesce(md5(seed || ':' || number), 'order-' || lpad(number::text, 26, '0'))
