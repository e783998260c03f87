-- Jobs that ask Apple once more, at ages that are listed: of each the next age. After the last there is none.
--
-- - recheck: ages of the grant, as its app lists them. Whether the payment was refunded since.
-- - search: ages of the order, while it is open (search_ages). Whether its customer paid for it.
--
-- $1 text[]  kinds    $2 text[]  orders    $3 text[]  environments    $4 text[]  transaction ids
insert into counterfoil.jobs (order_id, kind, transaction_id, lane, priority, run_at)
select e.order_id, e.kind, e.transaction_id, g.lane, 3, w.run_at
from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as e (kind, order_id, environment, transaction_id)
join counterfoil.orders o on o.order_id = any (array[e.order_id])
join counterfoil.apps a on a.bundle_id = o.bundle_id
join counterfoil.gates g on g.bundle_id = o.bundle_id and g.route = 'server_api' and g.environment = e.environment
cross join lateral (
    select min(t.run_at) as run_at
    from (
        select o.fulfilled_at + r.age as run_at from unnest(a.recheck_ages) as r (age) where e.kind = 'recheck'
        union all
        select o.created_at + s.age from unnest(counterfoil.search_ages()) as s (age)
        where e.kind = 'search' and o.state = 'open' and a.searches_orders
    ) t
    -- What is due now has just been asked.
    where t.run_at > now() + interval '1 minute'
) w
where w.run_at is not null
