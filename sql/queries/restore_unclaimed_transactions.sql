-- Puts payments back among the unclaimed ones that revocations had taken from them, where nothing stands against them any more.
--
-- Their grants come from an import, which knows what another system delivered.
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
)
insert into counterfoil.unclaimed_transactions
select r.*
from returned r
where (
    select true
    from counterfoil.grants_of_payment(
        r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id, r.web_order_line_item_id,
        -- As in insert_unclaimed_transactions.sql.
        nullif(r.product_kind, 'consumable'), r.purchased_at
    )
    limit 1
) is null
on conflict do nothing
