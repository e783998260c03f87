-- Jobs with proofs of 64 bytes that are due a second after each other from tomorrow on, in all lanes in turn; for a
-- connection that skips triggers.
--
-- $1 int8  first number    $3 int8  how many orders there are for them
-- $2 int8  last number
insert into counterfoil.jobs (order_id, order_number, proof, lane, run_at)
select
    o.order_id, o.number, rpad('eyJ future ' || n || ' ', 64, '.'), g.lane,
    now() + interval '1 day' + n * interval '1 second'
from generate_series($1::bigint, $2::bigint) as n
join counterfoil.orders o on o.order_id = 'future-' || n % $3::bigint
join (
    select g.lane, row_number() over (order by g.lane) - 1 as place, count(*) over () as lanes from counterfoil.gates g
) g on g.place = n % g.lanes
