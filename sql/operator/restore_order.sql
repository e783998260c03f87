-- Moves an order to review that was refunded for a payment which it was never granted, and which nothing stands against any more.
-- settle_payments.sql does so for orders whose payment it finds standing, and moves back the order that was granted it.
--
-- $1 text  order
with restored as (
    update counterfoil.orders o
    set state = 'review', reason = 'refund_reversed', version = o.version + 1, updated_at = now()
    where o.order_id = $1::text and o.state = 'refunded'
    returning o.order_id, o.updated_at
)
-- roll_up lists only the orders that an attempt left in review.
insert into counterfoil.orders_in_review (order_id, since)
select r.order_id, r.updated_at from restored r
on conflict do nothing
