-- Keeps verified payments that were not granted, unless the ledger holds them. The first to show one is remembered.
--
-- One that came to light beside another order renews a subscription if its account was granted the first period of the same
-- product, and nothing of it was taken back before. What couldn't be told then is told by a later proof.
--
-- Look-ups for each row on purpose, as in claim_jobs.sql: "not exists" becomes a join with the whole ledger while the statistics
-- saw it empty.
--
-- $1 text[]  orders                      $7 text[]  products
-- $2 text[]  bundle ids                  $8 text[]  kinds of product, or null
-- $3 text[]  environments                $9 int4[]  quantities
-- $4 text[]  transaction ids            $10 timestamptz[]  purchased at
-- $5 text[]  original transaction ids   $11 timestamptz[]  expires at, or null
-- $6 text[]  web order line item ids    $12 uuid[]  app account tokens, or null
-- $13 text[]  reasons
with entry as materialized (
    select
        e.*, coalesce(e.named_kind, p.kind) as product_kind, o.account_id,
        (
            select true from counterfoil.standing_revocations r
            where r.bundle_id = e.bundle_id and r.environment = e.environment
                and r.original_transaction_id = e.original_transaction_id and r.occurred_at < e.purchased_at
            limit 1
        ) is not null as is_bought_again
    from unnest(
        $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::integer[],
        $10::timestamptz[], $11::timestamptz[], $12::uuid[], $13::text[]
    ) as e (
        order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id,
        named_kind, quantity, purchased_at, expires_at, app_account_token, reason
    )
    join counterfoil.orders o on o.order_id = any (array[e.order_id])
    left join counterfoil.products p on p.bundle_id = e.bundle_id and p.product_id = e.product_id
), unclaimed as (
    select
        e.*,
        e.reason = 'renewal'
            or e.reason = 'no_order' and e.product_kind = 'auto_renewable' and not e.is_bought_again
            and (
                select g.account_id = e.account_id and g.product_id = e.product_id and g.purchased_at < e.purchased_at
                from counterfoil.grants g
                where g.id = any (array(
                    select t.grant_id from counterfoil.transaction_ids t
                    where t.bundle_id = e.bundle_id and t.environment = e.environment
                        and t.transaction_id = e.original_transaction_id
                ))
            ) is true as is_renewal
    from entry e
    where (
            select true from counterfoil.transaction_ids t
            where t.bundle_id = e.bundle_id and t.environment = e.environment and t.transaction_id = e.transaction_id
            limit 1
        ) is null
        -- Granted under another id, or under another key, while its product was listed as of another kind. What is bought for good,
        -- refunded and bought again keeps its original transaction, and is a new payment.
        and (
            e.is_bought_again and e.product_kind is distinct from 'auto_renewable'
            or (
                select true from counterfoil.grants g
                where g.bundle_id = e.bundle_id and g.environment = e.environment
                    and g.grant_key = case e.product_kind
                        when 'auto_renewable'
                            then coalesce('web_order:' || e.web_order_line_item_id, 'transaction:' || e.transaction_id)
                        else 'original:' || e.original_transaction_id
                    end
                limit 1
            ) is null
            and (
                select true from counterfoil.transaction_ids t
                where e.product_kind in ('non_consumable', 'non_renewing') and t.bundle_id = e.bundle_id
                    and t.environment = e.environment and t.transaction_id = e.original_transaction_id
                limit 1
            ) is null
        )
        and (
            select true from counterfoil.standing_revocations r
            where r.bundle_id = e.bundle_id and r.environment = e.environment and r.transaction_id = e.transaction_id
            limit 1
        ) is null
        and (
            select true from counterfoil.standing_revocations r
            where r.bundle_id = e.bundle_id and r.environment = e.environment
                and r.original_transaction_id = e.original_transaction_id
                and r.web_order_line_item_id = e.web_order_line_item_id
            limit 1
        ) is null
        -- A restore of what was refunded.
        and (
            select true from counterfoil.standing_revocations r
            where e.product_kind in ('non_consumable', 'non_renewing') and r.bundle_id = e.bundle_id
                and r.environment = e.environment and r.original_transaction_id = e.original_transaction_id
                and r.occurred_at >= e.purchased_at and (r.bought_again_after >= e.purchased_at) is not true
            limit 1
        ) is null
)
insert into counterfoil.unclaimed_transactions (
    bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
    quantity, purchased_at, expires_at, app_account_token, reason, order_id, account_id
)
-- Several orders of one batch may show one payment.
select distinct on (u.bundle_id, u.environment, u.transaction_id)
    u.bundle_id, u.environment, u.transaction_id, u.original_transaction_id, u.web_order_line_item_id, u.product_id,
    u.product_kind, u.quantity, u.purchased_at, u.expires_at, u.app_account_token,
    case when u.is_renewal then 'renewal' else u.reason end, u.order_id, u.account_id
from unclaimed u
order by u.bundle_id, u.environment, u.transaction_id, u.is_renewal desc, u.order_id
on conflict (bundle_id, transaction_id, environment) do update set reason = excluded.reason
    -- An order for this product may count on it: see settle_orders.sql.
    where unclaimed_transactions.reason = 'no_order' and excluded.reason = 'renewal'
        and unclaimed_transactions.product_id is distinct from (
            select o.product_id from counterfoil.orders o where o.order_id = any (array[unclaimed_transactions.order_id])
        )
