-- Keeps verified payments that were not granted, unless the ledger holds them. The first to show one is remembered. What repeats
-- a granted purchase at another date is kept as a restore: a refund may tell that they were bought apart. What a refund took back
-- is kept for its reversal.
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
        -- What is listed as a consumable and shows another original transaction may be a subscription's period.
        (
            select h.grant_id
            from counterfoil.grants_of_payment(
                e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id,
                nullif(coalesce(e.named_kind, p.kind), 'consumable'), e.purchased_at
            ) h
            limit 1
        ) as grant_id
    from unnest(
        $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::integer[],
        $10::timestamptz[], $11::timestamptz[], $12::uuid[], $13::text[]
    ) as e (
        order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id,
        named_kind, quantity, purchased_at, expires_at, app_account_token, reason
    )
    join counterfoil.orders o on o.order_id = any (array[e.order_id])
    left join counterfoil.products p on p.bundle_id = e.bundle_id and p.product_id = e.product_id
), named_again as (
    -- As insert_transaction_ids.sql adds it.
    insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
    select e.bundle_id, e.environment, e.transaction_id, e.grant_id
    from entry e
    join counterfoil.grants g on g.id = any (array[e.grant_id])
    where counterfoil.is_surely_one_payment(
        e.web_order_line_item_id, e.purchased_at, g.web_order_line_item_id, g.purchased_at)
    order by e.bundle_id, e.environment, e.transaction_id
    on conflict do nothing
), restored as (
    insert into counterfoil.restored_transactions (
        bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
        quantity, purchased_at, expires_at, app_account_token, reason, order_id, account_id, grant_id
    )
    select distinct on (e.bundle_id, e.environment, e.transaction_id)
        e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id, e.product_id,
        e.product_kind, e.quantity, e.purchased_at, e.expires_at, e.app_account_token, e.reason, e.order_id, e.account_id,
        e.grant_id
    from entry e
    join counterfoil.grants g on g.id = any (array[e.grant_id])
    where coalesce(nullif(e.product_kind, 'consumable'), g.product_kind) in ('non_consumable', 'non_renewing')
        and not counterfoil.is_surely_one_payment(
            e.web_order_line_item_id, e.purchased_at, g.web_order_line_item_id, g.purchased_at)
        and (
            select true from counterfoil.transaction_ids t
            where t.bundle_id = e.bundle_id and t.environment = e.environment and t.transaction_id = e.transaction_id
        ) is null
    order by e.bundle_id, e.environment, e.transaction_id, e.order_id
    on conflict do nothing
), unclaimed as (
    select
        e.*,
        e.reason = 'renewal'
            or e.reason = 'no_order' and e.product_kind = 'auto_renewable'
            and (
                select g.account_id = e.account_id and g.product_id = e.product_id and g.purchased_at < e.purchased_at
                from counterfoil.grants g
                where g.id = any (array(
                    select t.grant_id from counterfoil.transaction_ids t
                    where t.bundle_id = e.bundle_id and t.environment = e.environment
                        and t.transaction_id = e.original_transaction_id
                ))
            ) is true
            and (
                select true
                from counterfoil.refunds_before(
                    e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.product_kind, e.purchased_at
                )
                limit 1
            ) is null as is_renewal,
        (
            select true
            from counterfoil.revocations_of_payment(
                e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id,
                e.product_kind, e.purchased_at
            )
            limit 1
        ) is not null as is_taken_back
    from entry e
    where e.grant_id is null
        -- Shown before as of another kind, by which it was known as a restore, or as taken back.
        and (
            select true from counterfoil.restored_transactions t
            where t.bundle_id = e.bundle_id and t.original_transaction_id = e.original_transaction_id
                and t.transaction_id = e.transaction_id and t.environment = e.environment
        ) is null
        and (
            select true from counterfoil.revoked_unclaimed_transactions t
            where t.bundle_id = e.bundle_id and t.original_transaction_id = e.original_transaction_id
                and t.transaction_id = e.transaction_id and t.environment = e.environment
        ) is null
), taken_back as (
    insert into counterfoil.revoked_unclaimed_transactions (
        bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
        quantity, purchased_at, expires_at, app_account_token, reason, order_id, account_id, first_seen_at
    )
    select distinct on (u.bundle_id, u.environment, u.transaction_id)
        u.bundle_id, u.environment, u.transaction_id, u.original_transaction_id, u.web_order_line_item_id, u.product_id,
        u.product_kind, u.quantity, u.purchased_at, u.expires_at, u.app_account_token, u.reason, u.order_id, u.account_id,
        now()
    from unclaimed u
    where u.is_taken_back
    order by u.bundle_id, u.environment, u.transaction_id, u.order_id
    on conflict do nothing
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
where not u.is_taken_back
order by u.bundle_id, u.environment, u.transaction_id, u.is_renewal desc, u.order_id
on conflict (bundle_id, transaction_id, environment) do update set reason = excluded.reason
    where
        -- An order for this product may count on it: see settle_orders.sql.
        unclaimed_transactions.reason = 'no_order' and excluded.reason = 'renewal'
        and unclaimed_transactions.product_id is distinct from (
            select o.product_id from counterfoil.orders o where o.order_id = any (array[unclaimed_transactions.order_id])
        )
        -- What renews one order may be meant to pay for another, and a person has to decide about it.
        or unclaimed_transactions.reason = 'renewal'
        and excluded.reason not in ('renewal', 'no_order', 'order_already_paid', 'order_cancelled', 'wrong_product')
