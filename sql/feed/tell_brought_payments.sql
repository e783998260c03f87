-- Tells the feed of payments that were brought to an order by a job that ends, and pay for nothing: tell_payments left that to the
-- job, if the payment came to light in the database transaction that inserted the job.
--
-- Parameters, an element a job: $1, $2.
--
-- Idioms: array of one, offset 0.
select counterfoil.tell_payments(array_agg(p.bundle_id), array_agg(p.environment), array_agg(p.transaction_id))
from unnest(
    $1::bigint[], -- order_number
    $2::text[] -- transaction_id
) as e (order_number, transaction_id)
join counterfoil.orders o on o.number = any (array[e.order_number])
cross join lateral (
    select p.transaction_id, p.bundle_id, p.environment, p.seen_at, p.reason from counterfoil.payments p
    where p.transaction_id = e.transaction_id and p.bundle_id = o.bundle_id
    offset 0
) p
where p.reason is not null
    and exists (
        select from counterfoil.notifications n
        where n.transaction_id = p.transaction_id and n.bundle_id = p.bundle_id and n.environment = p.environment
            and n.order_id = o.order_id and n.processed_at = p.seen_at
    )
having count(*) > 0
