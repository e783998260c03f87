-- As insert_bench_jobs.sql, for a connection that skips triggers: a backlog of a million, soon made. As if each had
-- been inserted by itself, ten thousand a second: no two became due at the same moment.
--
-- $1 text  seed of the ids, or null     $3 int8  last number
-- $2 int8  first number
insert into counterfoil.jobs (order_id, order_number, proof, lane, run_at)
select
    o.order_id, o.number, rpad('eyJ tx ' || 200000000000000 + n || ' coins ', 64, '.'), g.lane,
    now() - interval '1 hour' + n * interval '0.1 milliseconds'
from generate_series($2::bigint, $3::bigint) as n
join counterfoil.orders o on o.order_id = public.bench_order_id($1::text, n)
join counterfoil.gates g on g.bundle_id = 'com.example.bench' || 1 + n % 4 and g.route = 'local'
order by n
