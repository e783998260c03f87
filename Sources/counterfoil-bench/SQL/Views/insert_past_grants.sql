-- The ledger's entries of past orders, and the ids that they are known by.
--
-- $1 text  first order    $2 text  last order
with granted as (
    insert into counterfoil.grants (
        order_id, bundle_id, environment, grant_key, transaction_id, original_transaction_id, product_id, product_kind,
        quantity, purchased_at, account_id, job_id, granted_at
    )
    select
        o.order_id, o.bundle_id, o.environment, 'transaction:' || o.transaction_id, o.transaction_id, o.transaction_id,
        o.product_id, 'consumable', 1, o.created_at, o.account_id, 1, o.fulfilled_at
    from counterfoil.orders o
    where o.order_id between $1::text and $2::text and o.state in ('fulfilled', 'refunded')
    returning id, bundle_id, environment, transaction_id
)
insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
select g.bundle_id, g.environment, g.transaction_id, g.id from granted g
