-- An order that moved within the last week, or was told of then, and of which the feed lacks a change. Its version counts its
-- changes: each version up to it must have been told. What was imported was delivered by another system, and isn't told.
--
-- Versions that were told before the week leave the feed some day. Those that are looked at must follow each other, up to the
-- order's.
with told as materialized (
    select
        t.number, min(t.version) as first_version, max(t.version) as last_version, count(distinct t.version) as versions,
        bool_or(c.kind = 'order_fulfilled') as is_granted
    from counterfoil.changes c
    cross join lateral unnest(c.orders, c.versions) as t (number, version)
    where c.at > now() - interval '8 days'
    group by t.number
)
select o.order_id, o.state, o.reason, o.version, t.first_version, t.last_version, t.versions as versions_told
from counterfoil.orders o
left join told t on t.number = o.number
where (
        t.last_version <> o.version or t.versions <> t.last_version - t.first_version + 1
        or t.first_version > 1 and o.created_at > now() - interval '7 days'
    )
    or (
        t.number is null and (o.version > 0 or o.state <> 'open')
            and (o.created_at > now() - interval '7 days' or o.fulfilled_at > now() - interval '7 days')
        or t.is_granted is not true and o.fulfilled_at > now() - interval '7 days'
    )
    and not exists (select from counterfoil.order_events e where e.order_id = o.order_id and e.kind = 'imported')
limit 100
