-- Counts an attempt of each order that was not granted by it, and moves the order where its outcome says.
--
-- Only open orders are rejected, reviewed or refunded, and rejected ones again; an order in review stays there, except
-- for a refund of its only payment. Fulfilled, refunded and cancelled orders are never moved here.
--
-- An order that a payment answered is listed by that payment: settle_payments moves it again.
--
-- Parameters, an element an order: $1, $2, $3, $4, $5.
--
-- Idiom: array of one.
with outcome as (
    select *
    from unnest(
        $1::text[], -- order_id
        $2::text[], -- state, or null to keep the order as it is
        $3::text[], -- reason, or null
        $4::text[], -- transaction_id, or null
        $5::text[] -- environment, or null
    ) as u (order_id, state, reason, transaction_id, environment)
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
    join counterfoil.orders o on o.order_id = any (array[u.order_id])
), settled as (
    update counterfoil.orders o
    set attempts = o.attempts + 1,
        last_attempt_at = now(),
        state = case when d.moves then d.state else o.state end,
        reason = case when d.moves then d.reason else o.reason end,
        transaction_id = case when d.moves then d.transaction_id else o.transaction_id end,
        environment = case when d.moves then d.environment else o.environment end,
        version = o.version + (d.moves and (d.state, d.reason) is distinct from (o.state, o.reason))::integer,
        updated_at = now()
    from decided d
    where o.order_id = any (array[d.order_id])
    returning o.number, o.transaction_id, d.moves
)
insert into counterfoil.answered_orders (transaction_id, order_number)
select s.transaction_id, s.number
from settled s
where s.moves and s.transaction_id is not null
order by s.transaction_id, s.number
on conflict do nothing
