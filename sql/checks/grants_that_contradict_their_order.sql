-- A fulfilled order without a grant. A grant whose order doesn't exist, isn't fulfilled or refunded, or names another payment. A
-- grant of another app, product or account than was ordered, unless an operator gave it.
--
-- Orders and grants are read once each, in any order, and compared by sums of hashes of the facts that both hold: that needs
-- neither a sort nor room on the disk. Only when the sums differ are the two joined to find the rows. Grants of refunded
-- orders and grants by operators are few: they are looked up.
with said_by_orders as not materialized (
    select
        o.number, o.order_id, o.state, (o.bundle_id, o.product_id, o.account_id) as facts,
        hashtextextended(o.transaction_id, hashtextextended(o.environment, hashint8extended(o.number, 0))) as payment,
        hashtextextended(
            o.account_id, hashtextextended(o.product_id, hashtextextended(o.bundle_id, hashint8extended(o.number, 1)))
        ) as ordered
    from counterfoil.orders o
), said_by_grants as not materialized (
    select
        g.order_number, (g.bundle_id, g.product_id, g.account_id) as facts,
        hashtextextended(g.transaction_id, hashtextextended(g.environment, hashint8extended(g.order_number, 0))) as payment,
        hashtextextended(
            g.account_id, hashtextextended(g.product_id, hashtextextended(g.bundle_id, hashint8extended(g.order_number, 1)))
        ) as ordered
    from counterfoil.payments g
    where g.order_number is not null
), assigned as materialized (
    select distinct e.order_id from counterfoil.order_events e where e.kind = 'assigned'
), fulfilled as (
    select coalesce(sum(o.payment), 0) as payments, coalesce(sum(o.ordered), 0) as ordered
    from said_by_orders o
    where o.state = 'fulfilled'
), granted as (
    select coalesce(sum(g.payment), 0) as payments, coalesce(sum(g.ordered), 0) as ordered from said_by_grants g
), refunded as (
    select
        coalesce(sum(g.payment), 0) as payments, coalesce(sum(g.ordered), 0) as ordered,
        count(*) filter (where g.facts is distinct from o.facts and a.order_id is null) as contradicting
    from said_by_orders o
    join said_by_grants g on g.order_number = o.number
    left join assigned a on a.order_id = o.order_id
    where o.state = 'refunded'
), by_hand as (
    select coalesce(sum(g.ordered - o.ordered::numeric), 0) as ordered
    from assigned a
    join said_by_orders o on o.order_id = a.order_id and o.state = 'fulfilled'
    join said_by_grants g on g.order_number = o.number
)
select
    f.fault, coalesce(o.order_id, 'number ' || g.order_number) as order_id, o.state, o.transaction_id,
    g.transaction_id as granted_transaction_id
from counterfoil.orders o
full join (select p.* from counterfoil.payments p where p.order_number is not null) g on g.order_number = o.number
left join assigned a on a.order_id = o.order_id
cross join lateral (
    select
        case
            when o.order_id is null then 'granted to an order that doesn''t exist'
            when g.order_number is null then case when o.state = 'fulfilled' then 'fulfilled without a grant' end
            when o.state not in ('fulfilled', 'refunded') then 'granted without saying so'
            when o.state = 'fulfilled' and (g.transaction_id, g.environment) is distinct from (o.transaction_id, o.environment)
                then 'granted another payment'
            when a.order_id is null
                and (g.bundle_id, g.product_id, g.account_id) is distinct from (o.bundle_id, o.product_id, o.account_id)
                then 'granted another app, product or account'
        end as fault
) f
where f.fault is not null
    and (
        select
            g.payments <> f.payments + r.payments or g.ordered <> f.ordered + r.ordered + h.ordered or r.contradicting > 0
        from granted g
        cross join fulfilled f
        cross join refunded r
        cross join by_hand h
    )
limit 100
