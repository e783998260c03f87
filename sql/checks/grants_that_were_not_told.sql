-- A grant of the last week that the feed wasn't told, and which wasn't imported.
with told as materialized (
    select t.order_id
    from counterfoil.changes c
    cross join lateral unnest(c.orders) as t (order_id)
    where c.kind = 'order_fulfilled' and c.at > now() - interval '8 days'
)
select g.order_id, g.bundle_id, g.transaction_id, g.environment, g.granted_at
from counterfoil.payments g
where g.order_id is not null and g.granted_at > now() - interval '7 days'
    and not exists (select from told t where t.order_id = g.order_id)
    and not exists (select from counterfoil.order_events e where e.order_id = g.order_id and e.kind = 'imported')
limit 100
