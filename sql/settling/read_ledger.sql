-- What the ledger and the order say about each candidate; one row a candidate, in the order given. Whatever insert_grants.sql
-- refuses, this tells: they change together.
--
-- $1 text[]  orders                     $6 text[]  web order line item ids, or null
-- $2 text[]  bundle ids                 $7 timestamptz[]  purchased at
-- $3 text[]  environments               $8 uuid[]  app account tokens, or null
-- $4 text[]  transaction ids            $9 text[]  kinds of product
-- $5 text[]  original transaction ids
select
    holder.order_id as holder_order_id,
    holder.account_id as holder_account_id,
    holder.transaction_id as holder_transaction_id,
    (
        select true
        from counterfoil.revocations_of_payment(
            e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id, e.product_kind,
            e.purchased_at
        )
        limit 1
    ) is not null as is_revoked,
    (
        select true
        from counterfoil.refunds_before(
            e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.product_kind, e.purchased_at
        )
        limit 1
    ) is not null
    -- Its key is taken by another payment of the same original transaction.
    or holder.order_id is null and e.product_kind in ('non_consumable', 'non_renewing')
    and (
        select true from counterfoil.grants g
        where g.bundle_id = e.bundle_id and g.environment = e.environment
            and g.grant_key = 'original:' || e.original_transaction_id
    ) is not null as original_was_revoked_before,
    e.app_account_token is not null and o.app_account_token is null and exists (
        select from counterfoil.orders x
        where x.app_account_token = e.app_account_token and x.account_id <> o.account_id and x.bundle_id = o.bundle_id
    ) as token_belongs_to_another_account,
    coalesce((
        select u.account_id
        from counterfoil.unclaimed_of_payment(
            e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id, e.product_kind,
            e.purchased_at
        ) u
        order by u.first_seen_at, u.transaction_id collate "C"
        limit 1
    ), o.account_id) <> o.account_id as was_shown_by_another_account,
    -- An order that the ledger says is paid counts as paid, whatever it says of itself.
    case when own.id is null or o.state in ('refunded', 'cancelled') then o.state else 'fulfilled' end as order_state,
    own.original_transaction_id as order_original_transaction_id
from unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::uuid[], $9::text[]
) with ordinality as e (
    order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, purchased_at,
    app_account_token, product_kind, place
)
-- Arrays, as in claim_jobs.sql: look-ups, also while the statistics saw an empty ledger.
join counterfoil.orders o on o.order_id = any (array[e.order_id])
left join counterfoil.grants own on own.order_id = any (array[e.order_id])
left join lateral (
    select g.order_id, g.account_id, g.transaction_id
    from counterfoil.grants g
    where g.id = any (array(
        select h.grant_id
        from counterfoil.grants_of_payment(
            e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id, e.product_kind,
            e.purchased_at
        ) h
        limit 1
    ))
    limit 1
) holder on true
order by e.place
