-- What the ledger and the order say about each candidate; one row a candidate, in the order given. Whatever insert_grants.sql
-- refuses, this tells: they change together.
--
-- $1 text[]  orders                     $6 timestamptz[]  purchased at
-- $2 text[]  bundle ids                 $7 uuid[]  app account tokens, or null
-- $3 text[]  environments               $8 text[]  grant keys
-- $4 text[]  transaction ids            $9 text[]  kinds of product
-- $5 text[]  original transaction ids
select
    holder.order_id as holder_order_id,
    holder.account_id as holder_account_id,
    holder.transaction_id as holder_transaction_id,
    -- No "exists": planned while the table was small, it may read all revocations.
    (
        select true from counterfoil.standing_revocations r
        where r.bundle_id = e.bundle_id and r.environment = e.environment and r.transaction_id = e.transaction_id
        limit 1
    ) is not null
    or e.product_kind in ('non_consumable', 'non_renewing') and exists (
        select from counterfoil.standing_revocations r
        where r.bundle_id = e.bundle_id and r.environment = e.environment
            and r.original_transaction_id = e.original_transaction_id and r.occurred_at >= e.purchased_at
            and (r.bought_again_after >= e.purchased_at) is not true
    )
    or (
        select true from counterfoil.standing_revocations r
        where e.product_kind = 'auto_renewable' and r.bundle_id = e.bundle_id and r.environment = e.environment
            and r.original_transaction_id = e.original_transaction_id
            and 'web_order:' || r.web_order_line_item_id = e.grant_key
        limit 1
    ) is not null as is_revoked,
    exists (
        select from counterfoil.standing_revocations r
        where r.bundle_id = e.bundle_id and r.environment = e.environment
            and r.original_transaction_id = e.original_transaction_id and r.transaction_id <> e.transaction_id
            and r.occurred_at < e.purchased_at
    )
    -- It stays a payment of its own when that refund is reversed.
    or (
        select true from counterfoil.repurchases p
        where p.bundle_id = e.bundle_id and p.environment = e.environment and p.transaction_id = e.transaction_id
            and p.original_transaction_id = e.original_transaction_id
        limit 1
    ) is not null as original_was_revoked_before,
    e.app_account_token is not null and o.app_account_token is null and exists (
        select from counterfoil.orders x
        where x.app_account_token = e.app_account_token and x.account_id <> o.account_id and x.bundle_id = o.bundle_id
    ) as token_belongs_to_another_account,
    coalesce((
        select u.account_id
        from counterfoil.unclaimed_of_payment(
            e.bundle_id, e.environment, e.transaction_id,
            case when e.product_kind <> 'consumable' then e.original_transaction_id end
        ) u
        where u.transaction_id = e.transaction_id or e.product_kind <> 'auto_renewable'
            or e.grant_key = 'web_order:' || (
                select p.web_order_line_item_id from counterfoil.unclaimed_transactions p where p.ctid = u.place
            )
        order by u.first_seen_at, u.transaction_id collate "C"
        limit 1
    ), o.account_id) <> o.account_id as was_shown_by_another_account,
    -- An order that the ledger says is paid counts as paid, whatever it says of itself.
    case when own.id is null or o.state in ('refunded', 'cancelled') then o.state else 'fulfilled' end as order_state,
    own.original_transaction_id as order_original_transaction_id
from unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::uuid[], $8::text[],
    $9::text[]
) with ordinality as e (
    order_id, bundle_id, environment, transaction_id, original_transaction_id, purchased_at, app_account_token,
    grant_key, product_kind, place
)
-- Arrays, as in claim_jobs.sql: look-ups, also while the statistics saw an empty ledger.
join counterfoil.orders o on o.order_id = any (array[e.order_id])
left join counterfoil.grants own on own.order_id = any (array[e.order_id])
left join lateral (
    select g.order_id, g.account_id, g.transaction_id
    from counterfoil.grants g
    where g.bundle_id = e.bundle_id and g.environment = e.environment and g.grant_key = e.grant_key
    union all
    select g.order_id, g.account_id, g.transaction_id
    from counterfoil.grants g
    where g.id = any (array(
        select t.grant_id from counterfoil.transaction_ids t
        where t.bundle_id = e.bundle_id and t.environment = e.environment and t.transaction_id = e.transaction_id
    ))
    union all
    -- Granted under another key, while its product was listed as of another kind.
    select g.order_id, g.account_id, g.transaction_id
    from counterfoil.grants g
    where e.product_kind <> 'auto_renewable' and g.id = any (array(
        select t.grant_id from counterfoil.transaction_ids t
        where t.bundle_id = e.bundle_id and t.environment = e.environment
            and t.transaction_id = e.original_transaction_id
    ))
    union all
    select g.order_id, g.account_id, g.transaction_id
    from counterfoil.grants g
    where e.product_kind = 'consumable' and g.bundle_id = e.bundle_id and g.environment = e.environment
        and g.grant_key = 'original:' || e.original_transaction_id
    limit 1
) holder on true
order by e.place
