-- Removes proofs past their retention, a batch at a time; any worker may, twice at once too. Returns how many. The proof that put
-- an order into review stays while the order is there: an operator still has to decide by it.
--
-- $1 float8  retention, in seconds
-- $2 int4    the most to remove
--
-- Idiom: lock first.
with old as materialized (
    select p.job_id from counterfoil.proofs p
    where p.kept_at < now() - make_interval(secs => $1::double precision)
        and (not p.decides_order or (select o.state <> 'review' from counterfoil.orders o where o.order_id = p.order_id))
    order by p.kept_at
    limit $2::integer
    for update skip locked
)
delete from counterfoil.proofs p using old where p.job_id = old.job_id
