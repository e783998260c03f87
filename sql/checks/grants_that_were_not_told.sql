-- A grant of the last week that the feed wasn't told, of an app whose grants the feed is told, and which wasn't imported.
--
-- The first grant that the feed was told of an app begins its count: before that, the app may have kept its grants out of the feed.
with told as materialized (
    select c.order_id, c.at
    from counterfoil.changes c
    where c.kind = 'order_fulfilled' and c.at > now() - interval '8 days'
), begun as materialized (
    select o.bundle_id, min(t.at) as at
    from told t
    join counterfoil.orders o on o.order_id = t.order_id
    group by o.bundle_id
)
select g.order_id, g.bundle_id, g.transaction_id, g.environment, g.granted_at
from counterfoil.payments g
join counterfoil.apps a on a.bundle_id = g.bundle_id and a.feeds_grants
join begun b on b.bundle_id = g.bundle_id
where g.order_id is not null and g.granted_at > greatest(b.at, now() - interval '7 days')
    and not exists (select from told t where t.order_id = g.order_id)
    and not exists (select from counterfoil.order_events e where e.order_id = g.order_id and e.kind = 'imported')
limit 100
