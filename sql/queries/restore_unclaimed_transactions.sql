-- Puts payments back among the unclaimed ones that revocations had taken from them, where nothing stands against them any more.
-- What is granted by now, to whom else showed it or by an import, is a restore of that.
--
-- $1 text[]  bundle ids    $2 text[]  environments    $3 text[]  original transaction ids
with returned as (
    delete from counterfoil.revoked_unclaimed_transactions u
    using unnest($1::text[], $2::text[], $3::text[]) as e (bundle_id, environment, original_transaction_id)
    where u.bundle_id = e.bundle_id and u.environment = e.environment
        and u.original_transaction_id = e.original_transaction_id
        and (
            select true
            from counterfoil.revocations_of_payment(
                u.bundle_id, u.environment, u.transaction_id, u.original_transaction_id, u.web_order_line_item_id,
                u.product_kind, u.purchased_at
            )
            limit 1
        ) is null
    returning u.*
), judged as materialized (
    select
        r.*,
        (
            select h.grant_id
            from counterfoil.grants_of_payment(
                r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id, r.web_order_line_item_id,
                nullif(r.product_kind, 'consumable'), r.purchased_at
            ) h
            limit 1
        ) as grant_id
    from returned r
), restored as (
    insert into counterfoil.restored_transactions (
        bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
        quantity, purchased_at, expires_at, app_account_token, reason, order_id, account_id, first_seen_at, grant_id
    )
    select
        j.bundle_id, j.environment, j.transaction_id, j.original_transaction_id, j.web_order_line_item_id, j.product_id,
        j.product_kind, j.quantity, j.purchased_at, j.expires_at, j.app_account_token, j.reason, j.order_id, j.account_id,
        j.first_seen_at, j.grant_id
    from judged j
    where j.grant_id is not null and j.product_kind in ('non_consumable', 'non_renewing')
        and (
            select true from counterfoil.transaction_ids t
            where t.bundle_id = j.bundle_id and t.environment = j.environment and t.transaction_id = j.transaction_id
        ) is null
    on conflict do nothing
)
insert into counterfoil.unclaimed_transactions (
    bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_id, product_kind,
    quantity, purchased_at, expires_at, app_account_token, reason, order_id, account_id, first_seen_at
)
select
    j.bundle_id, j.environment, j.transaction_id, j.original_transaction_id, j.web_order_line_item_id, j.product_id,
    j.product_kind, j.quantity, j.purchased_at, j.expires_at, j.app_account_token, j.reason, j.order_id, j.account_id,
    j.first_seen_at
from judged j
where j.grant_id is null
on conflict do nothing
