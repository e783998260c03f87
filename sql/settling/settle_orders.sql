-- Counts an attempt of each order that was not granted by it, and moves the order where its outcome says.
--
-- Only open orders are rejected, reviewed or refunded, and rejected ones again; an order in review stays there, except
-- for a refund of its only payment. Fulfilled, refunded and cancelled orders are never moved here.
--
-- $1 text[]  orders                       $4 text[]  transaction ids, or null
-- $2 text[]  new states, or null          $5 text[]  environments, or null
-- $3 text[]  reasons, or null
with outcome as (
    select *
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
        as u (order_id, state, reason, transaction_id, environment)
), decided as (
    select
        u.*,
        u.state is not null
            and (
                o.state in ('open', 'rejected')
                or (o.state = 'review' and u.state = 'refunded')
            )
            and not (
                -- Another payment may still fulfil it.
                u.state = 'refunded' and exists (
                    select from counterfoil.unclaimed_for_order(u.order_id) t where t.transaction_id <> u.transaction_id
                )
            ) as moves
    from outcome u
    -- An array of one, as in claim_jobs.sql.
    join counterfoil.orders o on o.order_id = any (array[u.order_id])
)
update counterfoil.orders o
set attempts = o.attempts + 1,
    last_attempt_at = now(),
    state = case when d.moves then d.state else o.state end,
    reason = case when d.moves then d.reason else o.reason end,
    transaction_id = case when d.moves then d.transaction_id else o.transaction_id end,
    environment = case when d.moves then d.environment else o.environment end,
    updated_at = now()
from decided d
where o.order_id = any (array[d.order_id])
