-- Moves a refunded order back when nothing stands against its payment any more: to what its grant made of it, or to a person where
-- nothing was granted yet.
--
-- $1 text  order
with restored as (
    update counterfoil.orders o
    set state = case when p.is_granted then 'fulfilled' else 'review' end,
        reason = case when p.is_granted then null else 'refund_reversed' end,
        updated_at = now()
    from (select exists (select from counterfoil.grants g where g.order_id = $1::text) as is_granted) p
    where o.order_id = $1::text and o.state = 'refunded'
    returning o.order_id, o.state, o.updated_at
)
-- No attempt left it in review, from which the others are listed.
insert into counterfoil.orders_in_review (order_id, since)
select r.order_id, r.updated_at from restored r where r.state = 'review'
on conflict do nothing
