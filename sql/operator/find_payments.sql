-- The payments of an order: the one that was granted, and those that its proofs showed and that were not. A proof may show
-- payments of other products and renewals too: these are not the order's own.
--
-- $1 text  order
select
    g.bundle_id, g.environment, g.transaction_id, g.original_transaction_id, g.web_order_line_item_id, g.product_id,
    g.purchased_at, true as is_granted, true as is_own, g.seen_at
from counterfoil.payments g
where g.order_number = (select o.number from counterfoil.orders o where o.order_id = $1::text)
union all
select
    u.bundle_id, u.environment, u.transaction_id, u.original_transaction_id, u.web_order_line_item_id, u.product_id,
    u.purchased_at, false, u.product_id = o.product_id and u.state <> 'renewal', u.seen_at
from counterfoil.orders o
cross join lateral (
    select * from counterfoil.payment_states s where s.shown_by_number = o.number and s.reason is not null
    union
    -- Shown first by the proof of another order, or told by Apple. A person has to decide whether it pays for this order, or the
    -- order was refunded for it.
    select * from counterfoil.payment_states s
    where o.state in ('review', 'refunded') and s.transaction_id = o.transaction_id and s.bundle_id = o.bundle_id
        and (o.environment is null or s.environment = o.environment)
) u
where o.order_id = $1::text and u.state in ('unclaimed', 'renewal')
order by 3
