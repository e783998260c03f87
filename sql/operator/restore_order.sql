-- Moves a refunded order back when nothing stands against its payment any more: to fulfilled if it has a grant, else to review.
--
-- $1 text  order
with restored as (
    update counterfoil.orders o
    set state = case when p.is_granted then 'fulfilled' else 'review' end,
        reason = case when p.is_granted then null else 'refund_reversed' end,
        updated_at = now()
    from (select exists (select from counterfoil.payments g where g.order_id = $1::text) as is_granted) p
    where o.order_id = $1::text and o.state = 'refunded'
    returning o.order_id, o.state, o.updated_at
)
-- roll_up lists only the orders that an attempt left in review.
insert into counterfoil.orders_in_review (order_id, since)
select r.order_id, r.updated_at from restored r where r.state = 'review'
on conflict do nothing
