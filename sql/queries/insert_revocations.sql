-- Records payments that Apple took back; orders that they had fulfilled become refunded. What was unclaimed of them is kept for a
-- reversal: see restore_unclaimed_transactions.sql.
--
-- $1 text[]  bundle ids         $4 text[]  original transaction ids
-- $2 text[]  environments       $5 text[]  web order line item ids, or null
-- $3 text[]  transaction ids    $6 timestamptz[]  revoked at
with entry as (
    select distinct *
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
        as e (bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, occurred_at)
), recorded as (
    insert into counterfoil.revocations (
        bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, kind, occurred_at
    )
    select
        e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id, 'revocation',
        e.occurred_at
    from entry e
    order by e.bundle_id, e.environment, e.transaction_id
    on conflict do nothing
    returning bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, occurred_at
), standing as materialized (
    -- As standing_revocations has it.
    select
        r.*,
        (
            select max(p.refunded_at) from counterfoil.repurchases p
            where p.bundle_id = r.bundle_id and p.environment = r.environment and p.transaction_id = r.transaction_id
                and p.original_transaction_id = r.original_transaction_id
        ) as bought_again_after
    from recorded r
    where not exists (
        select from counterfoil.revocations v
        where v.bundle_id = r.bundle_id and v.environment = r.environment and v.transaction_id = r.transaction_id
            and v.kind = 'reversal' and v.occurred_at >= r.occurred_at
    )
), unclaimed as (
    -- Also what was shown of it under another id: where the original transaction is the payment, and of a subscription's period,
    -- unless that is a renewal: whose client finishes it either way.
    delete from counterfoil.unclaimed_transactions d
    where d.ctid = any (array(
        select u.place
        from standing r
        cross join lateral counterfoil.unclaimed_of_payment(
            r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id
        ) u
        where u.transaction_id = r.transaction_id
            or u.product_kind in ('non_consumable', 'non_renewing') and u.purchased_at <= r.occurred_at
            and (r.bought_again_after >= u.purchased_at) is not true
            or r.web_order_line_item_id = (
                select p.web_order_line_item_id from counterfoil.unclaimed_transactions p where p.ctid = u.place
            )
    ))
    returning d.*
), kept as (
    insert into counterfoil.revoked_unclaimed_transactions
    select u.* from unclaimed u
    on conflict do nothing
)
-- The grants of these revocations, as revoked_grants finds them; that view doesn't see yet what this statement adds. An old
-- proof may still show what was reversed since. Look-ups, as in claim_jobs.sql: a join may read the whole ledger.
update counterfoil.orders o
set state = 'refunded', reason = 'refunded', updated_at = now()
where o.state = 'fulfilled' and o.order_id = any (array(
    select taken.order_id
    from standing r
    cross join lateral (
        select g.order_id
        from counterfoil.grants g
        where g.id = any (array(
            select t.grant_id from counterfoil.transaction_ids t
            where t.bundle_id = r.bundle_id and t.environment = r.environment and t.transaction_id = r.transaction_id
        ))
        union all
        select g.order_id
        from counterfoil.grants g
        where g.bundle_id = r.bundle_id and g.environment = r.environment
            and g.grant_key = 'original:' || r.original_transaction_id and g.purchased_at <= r.occurred_at
            and (r.bought_again_after >= g.purchased_at) is not true
        union all
        select g.order_id
        from counterfoil.grants g
        where g.bundle_id = r.bundle_id and g.environment = r.environment
            and g.grant_key = 'web_order:' || r.web_order_line_item_id
            and g.original_transaction_id = r.original_transaction_id
        offset 0
    ) taken
))
