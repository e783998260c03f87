-- Milliseconds from the insert of an order's first proof to its fulfilment, by the kind of the proof that paid.
select
    p.proof_kind,
    count(*) as orders,
    percentile_cont(array[0.5, 0.95, 0.99]) within group (order by p.milliseconds) as percentiles
from (
    select
        coalesce(max(a.proof_kind) filter (where a.transaction_id = o.transaction_id), '?') as proof_kind,
        (extract(epoch from o.fulfilled_at - min(a.submitted_at)) * 1000)::double precision as milliseconds
    from counterfoil.orders o
    join counterfoil.attempts a on a.order_id = o.order_id
    where o.fulfilled_at is not null
    group by o.order_id
) p
group by grouping sets ((p.proof_kind), ())
having count(*) > 0
order by p.proof_kind nulls first
