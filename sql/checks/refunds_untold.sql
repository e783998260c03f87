-- A fulfilled order of whose payment Apple told within the last week, after the grant, and for which the feed ends with another
-- refund than stands (tell_refund).
--
-- Grouped, not joined: no statistics say how many orders the feed has.
with worded as materialized (
    select
        w.number, (array_agg(w.kind order by w.version desc) filter (where w.kind is not null))[1] as kind,
        (array_agg(w.share order by w.version desc) filter (where w.kind is not null))[1] as share
    from (
        select p.order_number as number, null::text as kind, null::integer as share, null::integer as version
        from counterfoil.revocations r
        join counterfoil.payments p
            on p.transaction_id = r.transaction_id and p.bundle_id = r.bundle_id and p.environment = r.environment
        where r.recorded_at > now() - interval '7 days' and p.granted_at < r.recorded_at
        union all
        select t.number, c.kind, c.share, t.version
        from counterfoil.changes c
        cross join lateral unnest(c.orders, c.versions) as t (number, version)
        where c.kind in ('order_partly_refunded', 'order_refunded', 'refund_reversed') and c.at > now() - interval '8 days'
    ) w
    group by w.number
    having bool_or(w.kind is null)
)
select o.order_id, s.transaction_id, s.environment, s.refunded_share, w.kind as told, w.share as told_share
from worded w
join counterfoil.orders o on o.number = w.number and o.state = 'fulfilled'
cross join lateral (
    select x.transaction_id, x.environment, x.is_partly_refunded, x.refunded_share
    from counterfoil.payment_states x
    where x.order_number = o.number and x.state = 'granted'
    offset 0
) s
where case
        when s.is_partly_refunded then (w.kind, w.share) is distinct from ('order_partly_refunded', s.refunded_share)
        else w.kind in ('order_partly_refunded', 'order_refunded')
    end
limit 100
