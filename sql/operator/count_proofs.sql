-- How many kept proofs requeue_proofs.sql would find, by app.
--
-- $1 text  reason    $2 text  order, or null    $3 text  bundle id, or null    $4 timestamptz  kept since, or null
select o.state, p.reason, o.bundle_id, count(*) as proofs, min(p.kept_at) as oldest_kept_at
from counterfoil.proofs p
join counterfoil.orders o on o.order_id = p.order_id
where p.reason = $1::text and o.state in ('open', 'rejected', 'review')
    and not exists (
        select from counterfoil.jobs j where j.order_number = o.number and j.state <> 'discarded' and j.proof = p.proof
    )
    and ($2::text is null or p.order_id = $2::text)
    and ($3::text is null or o.bundle_id = $3::text)
    and ($4::timestamptz is null or p.kept_at >= $4::timestamptz)
group by o.state, p.reason, o.bundle_id
order by 4 desc, 1, 3
