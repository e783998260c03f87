-- An open order that was attempted and has no job any more: nobody will ever look at it again. One whose last job was cancelled by
-- hand, whose last proof showed a refund or another payment of the account, or that has an unclaimed payment for its product, waits
-- for a new proof.
--
-- Idiom: row look-up. As joins these may read the whole history of attempts.
with attempted as materialized (
    select
        o.order_id, o.number, o.product_id, o.attempts, o.last_attempt_at,
        -- Older payments that a receipt shows say nothing of it: unclaimed_for_order.
        case when o.recovery then '-infinity' else o.created_at - a.purchase_time_tolerance end as paid_since
    from counterfoil.orders o
    join counterfoil.apps a on a.bundle_id = o.bundle_id
    where o.state = 'open' and o.attempts > 0
)
select o.order_id, o.attempts, o.last_attempt_at
from attempted o
where (select true from counterfoil.jobs j where j.order_number = o.number and j.kind = 'verify' limit 1) is null
    and (
        select true from counterfoil.payment_states u
        where u.shown_by_number = o.number and u.reason is not null and u.product_id = o.product_id and u.state = 'unclaimed'
            and (
                u.reason in (
                    'purchase_before_order', 'token_missing', 'quantity_short', 'order_already_paid', 'order_cancelled',
                    'unsupported_yet', 'seats_added', 'partly_refunded', 'settlement_refused'
                )
                or u.purchased_at >= o.paid_since
            )
        limit 1
    ) is null
    and (
        select true from counterfoil.order_events e
        where e.order_id = o.order_id and e.kind = 'job_cancelled' and e.occurred_at >= o.last_attempt_at
        limit 1
    ) is null
    -- The history of attempts ends some day; the event stays.
    and (
        select true from counterfoil.attempts a
        where a.order_number = o.number and (a.disposition = 'cancel' or a.reason in ('refunded', 'another_payment'))
            and a.finished_at >= o.last_attempt_at
        limit 1
    ) is null
limit 100
