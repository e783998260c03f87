-- What belongs to past orders that were refunded or are in review: revocations, unclaimed payments, the list of reviews.
--
-- $1 text  first order    $2 text  last order
with past as materialized (
    select * from counterfoil.orders o
    where o.order_id between $1::text and $2::text and o.state in ('refunded', 'review')
), revoked as (
    insert into counterfoil.revocations (
        bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of, share
    )
    select p.bundle_id, p.environment, p.transaction_id, p.transaction_id, 'revocation', p.updated_at, p.updated_at, 100000
    from past p
    where p.state = 'refunded'
), unclaimed as (
    insert into counterfoil.payments (
        bundle_id, environment, transaction_id, original_transaction_id, product_id, quantity, purchased_at, reason,
        shown_by_number, account_id, seen_at
    )
    select
        p.bundle_id, p.environment, p.transaction_id, p.transaction_id, p.product_id, 1, p.created_at, p.reason, p.number,
        p.account_id, p.updated_at
    from past p
    where p.state = 'review'
)
insert into counterfoil.orders_in_review (order_id, since)
select p.order_id, p.updated_at from past p where p.state = 'review'
