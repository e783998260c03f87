-- Orders and their jobs for the lean floor; the ones before are over.
--
-- $1 int8  how many
with last as (
    select coalesce(max(o.order_id), 0) as order_id from lean.orders o
), made as (
    insert into lean.orders (order_id)
    select l.order_id + i from last l cross join generate_series(1, $1::bigint) i
    returning order_id
)
insert into lean.jobs (order_id) select m.order_id from made m
