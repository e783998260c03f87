-- The differences between a shop's goods and the feed. Each change is called for once, those of an order in their order, and goods
-- and balances are what the documents' function makes of the changes.
with recursive feed as (
    select c.*, row_number() over (order by c.id desc) = 1 as is_last
    from counterfoil.changes_since(counterfoil.changes_from('-infinity'), 10000) c
    union all
    select c.*, row_number() over (order by c.id desc) = 1
    from feed f
    cross join lateral counterfoil.changes_since(f.next_cursor, 10000) c
    where f.is_last
), counted as materialized (
    select c.id, count(*) as calls from shop.calls c group by c.id
), effects as materialized (
    -- How much of the order stands refunded after a change, in percent; the last of them counts.
    select f.order_id, max(f.id) as id
    from feed f
    where f.kind in ('order_refunded', 'refund_reversed') or f.kind = 'order_partly_refunded' and f.refunded_share is not null
    group by f.order_id
), goods as materialized (
    select
        f.bundle_id, f.environment, f.transaction_id, f.order_id, 'account ' || abs(hashtext(f.account_id)) % 7 as account_id,
        100 * f.quantity as coins,
        case
            when r.id is null or r.id < f.id or r.kind = 'refund_reversed' then 0
            when r.kind = 'order_refunded' then 100 * f.quantity
            else floor(100 * f.quantity * r.refunded_share / 100)
        end as taken_back
    from feed f
    left join effects e on e.order_id = f.order_id
    left join feed r on r.id = e.id
    where f.kind = 'order_fulfilled'
)
select 'not called for' as fault, f.id::text as what from feed f where not exists (select from counted c where c.id = f.id)
union all
select 'called for ' || c.calls || ' times', c.id::text from counted c where c.calls > 1
union all
select 'called for, and not in the feed', c.id::text from counted c where not exists (select from feed f where f.id = c.id)
union all
select 'out of order', a.order_id
from shop.calls a
join shop.calls b on b.order_id = a.order_id and b.id > a.id and b.n < a.n
union all
select 'goods', coalesce(g.order_id, s.order_id)
from goods g
full join shop.goods s using (bundle_id, environment, transaction_id)
where (g.order_id, g.coins, g.taken_back) is distinct from (s.order_id, s.coins, s.taken_back)
union all
select 'balance', coalesce(g.account_id, b.account_id)
from (select g.account_id, sum(g.coins - g.taken_back) as coins from goods g group by g.account_id) g
full join shop.balances b using (account_id)
where coalesce(g.coins, 0) <> coalesce(b.coins, 0)
limit 100
