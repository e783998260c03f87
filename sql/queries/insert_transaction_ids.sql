-- Adds an id under which a granted purchase was seen again to its grant. It is no longer unclaimed; if it was taken back under
-- that id, before anybody knew whose it is, an order that it had fulfilled becomes refunded.
--
-- The grant is the one of that key; else one that was made while the product was listed as of another kind: it knows the original
-- transaction which the key names, or has it in its key.
--
-- $1 text[]  bundle ids      $3 text[]  transaction ids
-- $2 text[]  environments    $4 text[]  grant keys
with entry as materialized (
    select
        e.bundle_id, e.environment, e.transaction_id,
        coalesce(
            (
                select g.id from counterfoil.grants g
                where g.bundle_id = e.bundle_id and g.environment = e.environment and g.grant_key = e.grant_key
            ),
            (
                select t.grant_id from counterfoil.transaction_ids t
                where e.grant_key like 'original:%' and t.bundle_id = e.bundle_id and t.environment = e.environment
                    and t.transaction_id = substr(e.grant_key, length('original:') + 1)
            ),
            (
                select g.id from counterfoil.grants g
                where e.grant_key like 'transaction:%' and g.bundle_id = e.bundle_id and g.environment = e.environment
                    and g.grant_key = 'original:' || substr(e.grant_key, length('transaction:') + 1)
            )
        ) as grant_id
    from unnest($1::text[], $2::text[], $3::text[], $4::text[])
        as e (bundle_id, environment, transaction_id, grant_key)
), claimed as (
    delete from counterfoil.unclaimed_transactions d
    where d.ctid = any (array(
        select u.place
        from entry e
        cross join lateral counterfoil.unclaimed_of_payment(e.bundle_id, e.environment, e.transaction_id, null) u
        where e.grant_id is not null
    ))
), added as (
    insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
    select e.bundle_id, e.environment, e.transaction_id, e.grant_id
    from entry e
    where e.grant_id is not null
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
