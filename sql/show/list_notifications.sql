-- Notifications, the latest first, of an app, a transaction or an order where given. No payloads.
--
-- $1 text  bundle id, or null      $3 text  order, or null            $5 int8  the last row of the page before, or null
-- $2 text  transaction, or null    $4 int4  the most to list
with picked as materialized (
    (
        select n.id from counterfoil.notifications n
        where $1::text is null and $2::text is null and $3::text is null and ($5::bigint is null or n.id < $5::bigint)
        order by n.id desc
        limit $4::integer
    )
    union all
    select f.id
    from (values ('production'), ('sandbox')) as e (environment)
    cross join lateral (
        select n.id from counterfoil.notifications n
        where $1::text is not null and $2::text is null and $3::text is null
            and n.bundle_id = $1::text and n.environment = e.environment
            and (
                $5::bigint is null
                or (n.received_at, n.id)
                    < ((select l.received_at from counterfoil.notifications l where l.id = $5::bigint), $5::bigint)
            )
        order by n.received_at desc
        limit $4::integer
    ) f
    union all
    (
        select n.id from counterfoil.notifications n
        where n.transaction_id = $2::text and ($5::bigint is null or n.id < $5::bigint)
        order by n.id desc
        limit 1000
    )
    union all
    (
        select n.id from counterfoil.notifications n
        where n.order_id = $3::text and ($5::bigint is null or n.id < $5::bigint)
        order by n.id desc
        limit 1000
    )
    union all
    (
        select n.id
        from counterfoil.payments p
        cross join lateral (
            select n.id from counterfoil.notifications n
            where n.transaction_id = p.transaction_id and ($5::bigint is null or n.id < $5::bigint)
            order by n.id desc
            limit 1000
            offset 0
        ) n
        where p.order_number = (select o.number from counterfoil.orders o where o.order_id = $3::text)
    )
)
select
    n.id, n.notification_uuid, n.bundle_id, n.environment, n.type, n.subtype, n.transaction_id, n.order_id,
    coalesce(n.outcome, case when n.is_of_an_app then 'unverified' else 'unknown_app' end) as outcome, n.message, n.source, n.signed_at,
    n.received_at, n.processed_at
from (select distinct p.id from picked p) p
-- Idiom: offset 0.
cross join lateral (select * from counterfoil.notifications n where n.id = p.id offset 0) n
where ($1::text is null or n.bundle_id = $1::text)
    and ($2::text is null or n.transaction_id = $2::text)
order by n.received_at desc, n.id desc
limit $4::integer
