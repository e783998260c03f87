-- What stands against an order's payment: the revocations of its grant under any id, or of the payment that it names; of a
-- transaction of its app, where one is named; each with another order whose grant it took back.
--
-- $1 text  order    $2 text  transaction id, or null
select distinct
    r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id,
    (
        select g.order_id
        from counterfoil.revoked_grants v
        join counterfoil.grants g on g.id = v.grant_id
        where v.transaction_id = r.transaction_id and g.bundle_id = r.bundle_id and g.environment = r.environment
            and g.order_id <> $1::text
        limit 1
    ) as other_order_id
from (
    select
        o.bundle_id, case when $2::text is null then o.environment end as environment,
        coalesce($2::text, o.transaction_id) as transaction_id
    from counterfoil.orders o
    where o.order_id = $1::text
    union all
    -- Of a payment that was never granted, under another id.
    select u.bundle_id, u.environment, v.transaction_id
    from counterfoil.orders o
    join counterfoil.revoked_unclaimed_transactions u
        on u.bundle_id = o.bundle_id and u.environment = o.environment and u.transaction_id = o.transaction_id
    cross join lateral counterfoil.revocations_of_payment(
        u.bundle_id, u.environment, u.transaction_id, u.original_transaction_id, u.web_order_line_item_id, u.product_kind,
        u.purchased_at
    ) v
    where o.order_id = $1::text and $2::text is null
    union all
    select g.bundle_id, g.environment, v.transaction_id
    from counterfoil.grants g
    join counterfoil.revoked_grants v on v.grant_id = g.id
    where g.order_id = $1::text and $2::text is null
) p
join counterfoil.standing_revocations r
    on r.bundle_id = p.bundle_id and r.transaction_id = p.transaction_id
    and r.environment = coalesce(p.environment, r.environment)
order by 3
