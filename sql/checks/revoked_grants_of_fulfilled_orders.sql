-- An order that still counts as fulfilled although its payment was taken back.
--
-- The same grants as revoked_grants has, from the side of the revocations, which are few: their grants are looked up. Nearly all
-- of their orders are refunded: one scan of orders finds these, and only the others are looked up.
with refunded as materialized (
    select o.order_id from counterfoil.orders o where o.state = 'refunded'
), standing as materialized (
    select g.order_id, g.transaction_id, r.occurred_at
    from counterfoil.standing_revocations r
    cross join lateral counterfoil.grants_of_revocation(
        r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id, r.web_order_line_item_id, r.purchased_at
    ) taken
    join counterfoil.grants g on g.id = taken.grant_id
    where not exists (select from refunded x where x.order_id = g.order_id)
)
select s.order_id, s.transaction_id, s.occurred_at
from standing s
join counterfoil.orders o on o.order_id = s.order_id
where o.state = 'fulfilled'
limit 100
