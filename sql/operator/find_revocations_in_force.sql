-- What stands against an order's payment: the revocations of its grant, under any name, or of the payment that it names; of a
-- transaction of its app, where one is named; each with another order whose grant it took back.
--
-- $1 text  order    $2 text  transaction id, or null
select distinct
    r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id,
    (
        select o.order_id
        from counterfoil.payments_of_original(r.bundle_id, r.environment, r.original_transaction_id) g
        cross join lateral counterfoil.revocations_of_payment(
            g.bundle_id, g.environment, g.transaction_id, g.original_transaction_id, g.web_order_line_item_id, g.product_kind,
            g.purchased_at
        ) v
        cross join lateral (select o.order_id from counterfoil.orders o where o.number = g.order_number offset 0) o
        where o.order_id <> $1::text and v.transaction_id = r.transaction_id
        limit 1
    ) as other_order_id
from (
    -- The one that is named.
    select p.*
    from counterfoil.orders o
    join counterfoil.payments p on p.transaction_id = $2::text and p.bundle_id = o.bundle_id
    where o.order_id = $1::text
    union
    -- The order's own: granted, or what it was refunded for.
    select p.* from counterfoil.payments p
    where p.order_number = (select o.number from counterfoil.orders o where o.order_id = $1::text) and $2::text is null
    union
    select p.*
    from counterfoil.orders o
    join counterfoil.payments p
        on p.transaction_id = o.transaction_id and p.bundle_id = o.bundle_id
        and (o.environment is null or p.environment = o.environment)
    where o.order_id = $1::text and $2::text is null
) p
cross join lateral counterfoil.revocations_of_payment(
    p.bundle_id, p.environment, p.transaction_id, p.original_transaction_id, p.web_order_line_item_id, p.product_kind,
    p.purchased_at
) v
cross join lateral (
    select s.bundle_id, s.environment, s.transaction_id, s.original_transaction_id
    from counterfoil.revocations_in_force s
    where s.original_transaction_id = p.original_transaction_id and s.transaction_id = v.transaction_id
        and s.bundle_id = p.bundle_id and s.environment = p.environment
    -- Idiom: offset 0.
    offset 0
) r
where $2::text is null or r.transaction_id = $2::text
order by 3
