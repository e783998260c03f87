-- Puts payments back among the unclaimed ones that revocations had taken from them, where nothing stands against them any more.
-- What is granted by now, to whom else showed it or by an import, is an id or a restore of that. An order that was refunded for
-- such a payment, and granted nothing, is left to a person.
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
        r as payment,
        (
            select h.grant_id
            from counterfoil.grants_of_payment(
                r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id, r.web_order_line_item_id,
                nullif(r.product_kind, 'consumable'), r.purchased_at
            ) h
            limit 1
        ) as grant_id
    from returned r
), held as (
    select
        j.payment, j.grant_id,
        counterfoil.is_surely_one_payment(
            (j.payment).web_order_line_item_id, (j.payment).purchased_at, g.web_order_line_item_id, g.purchased_at) as is_sure
    from judged j
    join counterfoil.grants g on g.id = any (array[j.grant_id])
    where (
        select true from counterfoil.transaction_ids t
        where t.bundle_id = (j.payment).bundle_id and t.environment = (j.payment).environment
            and t.transaction_id = (j.payment).transaction_id
    ) is null
), named_again as (
    insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
    select (h.payment).bundle_id, (h.payment).environment, (h.payment).transaction_id, h.grant_id from held h where h.is_sure
    on conflict do nothing
), restored as (
    insert into counterfoil.restored_transactions
    select (h.payment).*, h.grant_id from held h where not h.is_sure
    on conflict do nothing
), unclaimed as (
    insert into counterfoil.unclaimed_transactions
    select (j.payment).* from judged j where j.grant_id is null
    on conflict do nothing
), reviewed as (
    update counterfoil.orders o
    set state = 'review', reason = 'refund_reversed', updated_at = now()
    from judged j
    where j.grant_id is null and o.order_id = any (array[(j.payment).order_id]) and o.state = 'refunded'
        and o.transaction_id = (j.payment).transaction_id and o.environment = (j.payment).environment
        and (select true from counterfoil.grants g where g.order_id = o.order_id) is null
    returning o.order_id, o.updated_at
)
-- No attempt left it in review, from which the others are listed.
insert into counterfoil.orders_in_review (order_id, since)
select r.order_id, r.updated_at from reviewed r
on conflict do nothing
