-- What was taken for a restore of a granted purchase, and was bought apart from it by a refund that came to light since, is a
-- payment of its own: unclaimed, unless it was taken back as well. Orders that were answered that it is owned already are left to
-- a person.
--
-- $1 text[]  bundle ids    $2 text[]  environments    $3 text[]  original transaction ids
with released as (
    delete from counterfoil.restored_transactions d
    where d.ctid = any (array(
        select t.place
        from unnest($1::text[], $2::text[], $3::text[]) as e (bundle_id, environment, original_transaction_id)
        cross join lateral (
            select t.ctid as place
            from counterfoil.restored_transactions t
            where t.bundle_id = e.bundle_id and t.environment = e.environment
                and t.original_transaction_id = e.original_transaction_id
                and counterfoil.bought_apart(
                    t.bundle_id, t.environment, t.original_transaction_id,
                    (select g.purchased_at from counterfoil.grants g where g.id = t.grant_id), t.purchased_at)
            offset 0
        ) t
    ))
    returning d.*
), payment as (
    -- As its grant tells where it was shown without its kind.
    select
        r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id, r.web_order_line_item_id, r.product_id,
        coalesce(
            nullif(r.product_kind, 'consumable'), (select g.product_kind from counterfoil.grants g where g.id = r.grant_id)
        ) as product_kind,
        r.quantity, r.purchased_at, r.expires_at, r.app_account_token, 'bought_again_after_revocation' as reason, r.order_id,
        r.account_id, r.first_seen_at
    from released r
), judged as materialized (
    select
        p as payment,
        (
            select true
            from counterfoil.revocations_of_payment(
                p.bundle_id, p.environment, p.transaction_id, p.original_transaction_id, p.web_order_line_item_id,
                p.product_kind, p.purchased_at
            )
            limit 1
        ) is not null as is_taken_back
    from payment p
), unclaimed as (
    insert into counterfoil.unclaimed_transactions
    select (j.payment).* from judged j where not j.is_taken_back
    on conflict do nothing
), taken_back as (
    insert into counterfoil.revoked_unclaimed_transactions
    select (j.payment).* from judged j where j.is_taken_back
    on conflict do nothing
), reviewed as (
    update counterfoil.orders o
    set state = 'review', reason = 'bought_again_after_revocation', updated_at = now()
    from judged j
    where not j.is_taken_back and o.order_id = any (array[(j.payment).order_id]) and o.state = 'rejected'
        and o.reason = 'already_owned' and o.transaction_id = (j.payment).transaction_id
    returning o.order_id, o.updated_at
)
-- No attempt left it in review, from which the others are listed.
insert into counterfoil.orders_in_review (order_id, since)
select r.order_id, r.updated_at from reviewed r
on conflict do nothing
