-- Puts kept proofs back into the queue, and records by whom and why: of rejected and reviewed orders, of open orders whose job an
-- operator cancelled, and of refunded orders once the refund was reversed.
--
-- A batch, sorted by the proofs' first jobs; at most ten proofs of an order at a time, the latest. A proof stays kept meanwhile:
-- the new verdict may come when there is no room for it. One that is in the queue is passed over. Returns the first jobs.
--
-- $1 text  reason                         $4 timestamptz  kept since, or null     $7 text  who
-- $2 text  order, or null                 $5 int8  first jobs above this one     $8 text  why
-- $3 text  bundle id, or null             $6 int4  the most to take
--
-- Idiom: lock first.
with picked as materialized (
    select p.job_id, p.order_id, p.transaction_id, p.proof
    from counterfoil.proofs p
    join counterfoil.orders o on o.order_id = p.order_id
    where p.reason = $1::text and o.state in ('open', 'rejected', 'review') and p.job_id > $5::bigint
        and ($2::text is null or p.order_id = $2::text)
        and ($3::text is null or o.bundle_id = $3::text)
        and ($4::timestamptz is null or p.kept_at >= $4::timestamptz)
        and not exists (
            select from counterfoil.jobs j where j.order_number = o.number and j.state <> 'discarded' and j.proof = p.proof
        )
        and (
            select count(*) from counterfoil.proofs later
            where later.order_id = p.order_id and later.reason = p.reason and later.job_id > p.job_id
        ) < 10
        and (
            select count(*) from counterfoil.jobs j where j.order_number = o.number and j.state <> 'discarded'
        ) < 10
    order by p.job_id
    limit $6::integer
    for update of p skip locked
), queued as (
    insert into counterfoil.jobs (order_id, proof, transaction_id)
    select p.order_id, p.proof, p.transaction_id from picked p order by p.job_id
), told as (
    insert into counterfoil.order_events (order_id, kind, who, why)
    select distinct p.order_id, 'judged_again', $7::text, $8::text from picked p
)
select p.job_id, p.order_id from picked p order by p.job_id
