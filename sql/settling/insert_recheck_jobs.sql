-- Jobs that ask Apple once more about granted payments, at the ages that their apps name: of each the next age. After the last there is
-- none.
--
-- $1 text[]  orders    $2 text[]  environments    $3 text[]  transaction ids
insert into counterfoil.jobs (order_id, kind, transaction_id, lane, priority, run_at)
select e.order_id, 'recheck', e.transaction_id, g.lane, 3, w.run_at
from unnest($1::text[], $2::text[], $3::text[]) as e (order_id, environment, transaction_id)
join counterfoil.orders o on o.order_id = any (array[e.order_id])
join counterfoil.apps a on a.bundle_id = o.bundle_id
join counterfoil.gates g on g.bundle_id = o.bundle_id and g.route = 'server_api' and g.environment = e.environment
cross join lateral (
    select min(o.fulfilled_at + r.age) as run_at
    from unnest(a.recheck_ages) as r (age)
    -- One that is due now has just been asked.
    where o.fulfilled_at + r.age > now() + interval '1 minute'
) w
where w.run_at is not null
