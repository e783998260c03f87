-- An order that still counts as fulfilled although its payment was taken back.
--
-- What revoked_grants tells, from the side of the revocations, which are few: their grants are looked up. Their orders are
-- refunded, as good as all, and those are found by reading the orders once; only the others are looked up.
with refunded as materialized (
    select o.order_id from counterfoil.orders o where o.state = 'refunded'
), standing as materialized (
    select g.order_id, g.transaction_id, r.occurred_at
    from counterfoil.standing_revocations r
    cross join lateral (
        select t.grant_id
        from counterfoil.transaction_ids t
        where t.bundle_id = r.bundle_id and t.environment = r.environment and t.transaction_id = r.transaction_id
        union all
        select k.id
        from counterfoil.grants k
        where k.bundle_id = r.bundle_id and k.environment = r.environment
            and k.grant_key = 'web_order:' || r.web_order_line_item_id
            and k.original_transaction_id = r.original_transaction_id
        union all
        select k.id
        from counterfoil.grants k
        where k.bundle_id = r.bundle_id and k.environment = r.environment
            and k.grant_key = 'original:' || r.original_transaction_id
            and counterfoil.is_one_payment(
                k.product_kind, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id,
                r.purchased_at, k.web_order_line_item_id, k.purchased_at)
        union all
        select k.id
        from counterfoil.grants k
        where k.id = any (array(
                select t.grant_id
                from counterfoil.transaction_ids t
                where t.bundle_id = r.bundle_id and t.environment = r.environment
                    and t.transaction_id = r.original_transaction_id
            ))
            and counterfoil.is_one_payment(
                k.product_kind, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id,
                r.purchased_at, k.web_order_line_item_id, k.purchased_at)
        union all
        select k.id
        from counterfoil.grants k
        where k.bundle_id = r.bundle_id and k.environment = r.environment
            and k.original_transaction_id = r.original_transaction_id
            and k.grant_key not like 'original:%' and k.transaction_id <> k.original_transaction_id
            and counterfoil.is_one_payment(
                k.product_kind, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id,
                r.purchased_at, k.web_order_line_item_id, k.purchased_at)
    ) taken
    join counterfoil.grants g on g.id = taken.grant_id
    where not exists (select from refunded x where x.order_id = g.order_id)
)
select s.order_id, s.transaction_id, s.occurred_at
from standing s
join counterfoil.orders o on o.order_id = s.order_id
where o.state = 'fulfilled'
limit 100
