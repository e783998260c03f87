-- The differences between what an endpoint was sent and the feed, and between the ledger and a shop that obeys the events alone.
-- Each change is sent, under one id of its own, as the feed has it; those of an order come in their order. The shop acts on each id
-- once.
--
-- $1 text[]  the ids, as they came    $2 text[]  the bodies
with recursive feed as (
    select c.*, row_number() over (order by c.id desc) = 1 as is_last
    from counterfoil.changes_since(counterfoil.changes_from('-infinity'), 10000) c
    union all
    select c.*, row_number() over (order by c.id desc) = 1
    from feed f
    cross join lateral counterfoil.changes_since(f.next_cursor, 10000) c
    where f.is_last
), changes as materialized (
    select f.id, f.order_id, counterfoil.webhook_body(f.kind, f.at, to_jsonb(f))::jsonb as body from feed f
), events as materialized (
    select distinct on (c.event_id)
        c.event_id, c.place, (c.body::jsonb #>> '{data,id}')::bigint as id, c.body::jsonb as body,
        c.body::jsonb ->> 'type' as kind, c.body::jsonb #>> '{data,order_id}' as order_id, c.body::jsonb -> 'data' as data
    from unnest($1::text[], $2::text[]) with ordinality as c (event_id, body, place)
    order by c.event_id, c.place
), goods as materialized (
    select
        e.data ->> 'bundle_id' as bundle_id, e.data ->> 'environment' as environment, e.data ->> 'transaction_id' as transaction_id,
        e.order_id, e.data ->> 'account_id' as account_id, (e.data ->> 'quantity')::integer as quantity,
        coalesce(
            (
                select r.kind = 'order_refunded'
                from events r
                where r.order_id = e.order_id and r.place > e.place
                    and r.kind in ('order_refunded', 'order_partly_refunded', 'refund_reversed')
                order by r.place desc
                limit 1
            ), false) as is_refunded
    from events e
    where e.kind = 'order_fulfilled'
), paid as materialized (
    select p.bundle_id, p.environment, p.transaction_id, o.order_id, n.account_id, p.quantity, o.state = 'refunded' as is_refunded
    from counterfoil.payments p
    join counterfoil.orders o on o.number = p.order_number
    cross join lateral counterfoil.account_now(o.account_id, o.number) n
)
select 'not sent' as fault, c.id::text as what from changes c where not exists (select from events e where e.id = c.id)
union all
select 'sent, and not in the feed', e.id::text from events e where not exists (select from changes c where c.id = e.id)
union all
select 'sent under several ids', e.id::text from events e group by e.id having count(*) > 1
union all
select 'sent otherwise', concat_ws(' ', e.event_id, e.kind, m.path)
from events e
join changes c using (id)
cross join unnest(
    '{type, timestamp, "data,order_id", "data,order_version", "data,reason", "data,refunded_share", "data,details"}'::text[]
) as m (path)
where e.body #> string_to_array(m.path, ',') is distinct from c.body #> string_to_array(m.path, ',')
    -- The feed names an order that was granted a period after it was told of.
    and not (m.path = 'data,order_id' and e.order_id is null and e.kind like 'subscription\_%')
union all
select 'out of order', a.order_id
from events a
join events b on b.order_id = a.order_id and b.id > a.id and b.place < a.place
union all
select 'goods', coalesce(p.order_id, g.order_id)
from paid p
full join goods g using (bundle_id, environment, transaction_id)
where (p.order_id, p.account_id, p.quantity, p.is_refunded) is distinct from (g.order_id, g.account_id, g.quantity, g.is_refunded)
limit 100
