-- What stands against an order's payment: the revocations of its grant under any id, or of the payment that it names; of a
-- transaction of its app, where one is named; each with another order whose grant it took back.
--
-- $1 text  order    $2 text  transaction id, or null
--
-- Idiom: offset 0. As joins these look-ups read the whole ledger.
select distinct
    r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id,
    (
        select g.order_id
        from (
            select v.grant_id from counterfoil.revoked_grants v
            where v.bundle_id = r.bundle_id and v.environment = r.environment and v.transaction_id = r.transaction_id
            offset 0
        ) v
        cross join lateral (select g.order_id from counterfoil.grants g where g.id = v.grant_id offset 0) g
        where g.order_id <> $1::text
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
    cross join lateral (
        select v.transaction_id from counterfoil.revoked_grants v where v.grant_id = g.id offset 0
    ) v
    where g.order_id = $1::text and $2::text is null
) p
cross join lateral (
    select s.bundle_id, s.environment, s.transaction_id, s.original_transaction_id
    from counterfoil.standing_revocations s
    where s.bundle_id = p.bundle_id and s.transaction_id = p.transaction_id
    offset 0
) r
where r.environment = coalesce(p.environment, r.environment)
order by 3
