-- What revocations take back: orders that these payments had fulfilled become refunded, and what was unclaimed of them is kept for
-- a reversal (restore_unclaimed_transactions.sql). So does the order that showed such a one first, if a person was to decide
-- about it and no other payment may still fulfil it.
--
-- An old proof may still show what was reversed since: what doesn't stand takes nothing. Look-ups, as in claim_jobs.sql: a join
-- may read the whole ledger.
--
-- $1 text[]  bundle ids    $2 text[]  environments    $3 text[]  transaction ids
with standing as materialized (
    select distinct r.*
    from unnest($1::text[], $2::text[], $3::text[]) as e (bundle_id, environment, transaction_id)
    cross join lateral (
        select
            s.bundle_id, s.environment, s.transaction_id, s.original_transaction_id, s.web_order_line_item_id, s.purchased_at
        from counterfoil.standing_revocations s
        where s.bundle_id = e.bundle_id and s.environment = e.environment and s.transaction_id = e.transaction_id
        offset 0
    ) r
), unclaimed as (
    -- Also under another id; but a renewal's client finishes it either way.
    delete from counterfoil.unclaimed_transactions d
    where d.ctid = any (array(
        select u.place
        from standing r
        cross join lateral (
            select u.ctid as place
            from counterfoil.unclaimed_transactions u
            where u.bundle_id = r.bundle_id and u.environment = r.environment and u.transaction_id = r.transaction_id
            union all
            select u.ctid
            from counterfoil.unclaimed_transactions u
            where u.bundle_id = r.bundle_id and u.environment = r.environment
                and u.original_transaction_id = r.original_transaction_id and u.reason <> 'renewal'
                and counterfoil.is_one_payment(
                    u.product_kind, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id,
                    r.purchased_at, u.web_order_line_item_id, u.purchased_at)
            offset 0
        ) u
    ))
    returning d.*
), kept as (
    insert into counterfoil.revoked_unclaimed_transactions
    select u.* from unclaimed u
    on conflict do nothing
), ended as (
    update counterfoil.orders o
    set state = 'refunded', reason = 'refunded', environment = u.environment, updated_at = now()
    from unclaimed u
    -- Another owner's payment never was the order's.
    where o.order_id = any (array[u.order_id]) and o.state = 'review' and o.reason <> 'owner_mismatch'
        and o.bundle_id = u.bundle_id and o.transaction_id = u.transaction_id
        and not exists (
            select from counterfoil.unclaimed_for_order(u.order_id) t
            where t.transaction_id <> all (array(select x.transaction_id from unclaimed x))
        )
)
update counterfoil.orders o
set state = 'refunded', reason = 'refunded', updated_at = now()
where o.state = 'fulfilled' and o.order_id = any (array(
    select g.order_id
    from standing r
    cross join lateral counterfoil.grants_of_revocation(
        r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id, r.web_order_line_item_id, r.purchased_at
    ) taken
    cross join lateral (select g.order_id from counterfoil.grants g where g.id = taken.grant_id offset 0) g
))
