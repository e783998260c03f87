-- Keeps verified payments that were not granted, unless the ledger holds them. The first to show one is remembered.
--
-- $1 text[]  orders                      $7 text[]  products
-- $2 text[]  bundle ids                  $8 text[]  kinds of product, or null
-- $3 text[]  environments                $9 int4[]  quantities
-- $4 text[]  transaction ids            $10 timestamptz[]  purchased at
-- $5 text[]  original transaction ids   $11 timestamptz[]  expires at, or null
-- $6 text[]  web order line item ids    $12 uuid[]  app account tokens, or null
-- $13 text[]  reasons
insert into counterfoil.unclaimed_transactions (
    bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
    quantity, purchased_at, expires_at, app_account_token, reason, order_id, account_id
)
select
    e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id, e.product_id,
    coalesce(e.product_kind, p.kind), e.quantity, e.purchased_at, e.expires_at, e.app_account_token, e.reason, e.order_id,
    o.account_id
from unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::integer[],
    $10::timestamptz[], $11::timestamptz[], $12::uuid[], $13::text[]
) as e (
    order_id, bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id,
    product_kind, quantity, purchased_at, expires_at, app_account_token, reason
)
join counterfoil.orders o on o.order_id = any (array[e.order_id])
left join counterfoil.products p on p.bundle_id = e.bundle_id and p.product_id = e.product_id
-- Look-ups for each row on purpose, as in claim_jobs.sql: "not exists" becomes a join with the whole ledger while the statistics
-- saw it empty.
where (
        select true from counterfoil.transaction_ids t
        where t.bundle_id = e.bundle_id and t.environment = e.environment and t.transaction_id = e.transaction_id
        limit 1
    ) is null
    -- A restored or renewed purchase that was granted under another id; one that was bought again after a refund is new.
    and (
        select true from counterfoil.grants g
        where g.bundle_id = e.bundle_id and g.environment = e.environment
            and g.grant_key = case coalesce(e.product_kind, p.kind)
                when 'consumable' then 'transaction:' || e.transaction_id
                when 'auto_renewable' then coalesce('web_order:' || e.web_order_line_item_id, 'transaction:' || e.transaction_id)
                else 'original:' || e.original_transaction_id
            end
            and not exists (
                select from counterfoil.standing_revocations r
                where r.bundle_id = e.bundle_id and r.environment = e.environment
                    and r.original_transaction_id = e.original_transaction_id and r.occurred_at < e.purchased_at
            )
        limit 1
    ) is null
    and not exists (
        select from counterfoil.standing_revocations r
        where r.bundle_id = e.bundle_id and r.environment = e.environment and r.transaction_id = e.transaction_id
    )
order by e.bundle_id, e.environment, e.transaction_id
on conflict do nothing
