-- Jobs that look for the payments of orders whose client uploaded nothing: of orders that have come of the first age of search_ages, and
-- whose account made another purchase. By that purchase Apple finds the customer's history. Each order is met here once:
-- the app's row in "searches" says up to which order; an hour's orders at a time.
--
-- $1 text[]  apps with a key of the App Store Server API
--
-- Idioms: lock first, lateral look-up, row look-up.
with taken as materialized (
    select s.bundle_id, s.searched_to, least(now() - (counterfoil.search_ages())[1], s.searched_to + interval '1 hour') as until
    from counterfoil.searches s
    join counterfoil.apps a on a.bundle_id = s.bundle_id
    where s.bundle_id = any ($1::text[]) and a.searches_orders and s.searched_to < now() - (counterfoil.search_ages())[1]
    for no key update of s skip locked
), moved as (
    update counterfoil.searches s set searched_to = t.until from taken t where s.bundle_id = t.bundle_id
)
insert into counterfoil.jobs (order_id, kind, transaction_id, lane, priority)
select o.order_id, 'search', k.transaction_id, g.lane, 3
from taken t
cross join lateral counterfoil.open_orders_between(t.bundle_id, t.searched_to, t.until) o
cross join lateral (
    -- The account's latest order that was paid.
    select p.transaction_id, p.environment
    from counterfoil.orders e
    join counterfoil.payments p on p.order_id = any (array[e.order_id])
    where e.account_id = o.account_id and e.bundle_id = t.bundle_id and e.state in ('fulfilled', 'refunded')
    order by e.created_at desc
    limit 1
) k
join counterfoil.gates g on g.bundle_id = t.bundle_id and g.route = 'server_api' and g.environment = k.environment
where (select true from counterfoil.jobs j where j.order_id = any (array[o.order_id]) and j.state <> 'discarded' limit 1) is null
