-- Adds an id under which a granted purchase was seen again to its grant. It is no longer unclaimed; if it was taken back under
-- that id, before anybody knew whose it is, an order that it had fulfilled becomes refunded.
--
-- Ids never leave their grant, so that only what is the same payment for sure is added. What else is a restore, unless a refund
-- tells otherwise, insert_unclaimed_transactions.sql keeps.
--
-- $1 text[]  bundle ids         $5 text[]  web order line item ids, or null
-- $2 text[]  environments       $6 text[]  kinds of product
-- $3 text[]  transaction ids    $7 timestamptz[]  purchased at
-- $4 text[]  original transaction ids
with entry as materialized (
    select
        e.bundle_id, e.environment, e.transaction_id, e.web_order_line_item_id, e.purchased_at,
        (
            select h.grant_id
            from counterfoil.grants_of_payment(
                e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id,
                e.product_kind, e.purchased_at
            ) h
            limit 1
        ) as grant_id
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[]) as e (
        bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, product_kind, purchased_at
    )
), claimed as (
    delete from counterfoil.unclaimed_transactions d
    where d.ctid = any (array(
        select u.place
        from entry e
        cross join lateral (
            select u.ctid as place
            from counterfoil.unclaimed_transactions u
            where u.bundle_id = e.bundle_id and u.environment = e.environment and u.transaction_id = e.transaction_id
            offset 0
        ) u
        where e.grant_id is not null
    ))
), added as (
    insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
    select e.bundle_id, e.environment, e.transaction_id, e.grant_id
    from entry e
    join counterfoil.grants g on g.id = any (array[e.grant_id])
    where counterfoil.is_surely_one_payment(
        e.web_order_line_item_id, e.purchased_at, g.web_order_line_item_id, g.purchased_at)
    order by e.bundle_id, e.environment, e.transaction_id
    on conflict do nothing
    returning bundle_id, environment, transaction_id, grant_id
)
update counterfoil.orders o
set state = 'refunded', reason = 'refunded', updated_at = now()
where o.state = 'fulfilled' and o.order_id = any (array(
    select (select g.order_id from counterfoil.grants g where g.id = a.grant_id)
    from added a
    where (
        select true from counterfoil.standing_revocations r
        where r.bundle_id = a.bundle_id and r.environment = a.environment and r.transaction_id = a.transaction_id
        limit 1
    )
))
