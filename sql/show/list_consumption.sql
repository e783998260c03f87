-- Apple's questions about refunds; a page. Those that may still be answered, the earliest deadline first; or with all every one,
-- the latest deadline first.
--
-- $1 text  app, or null: any    $2 bool  all    $3 int4  at most    $4 text  the uuid of the last one of the page before, or null
select c.deadline, c.notification_uuid, c.product_id, c.account_id, c.order_id, c.reason, c.decision, c.decision_error
from (
    select min(d.deadline) as deadline
    from (select n.id from counterfoil.notifications n where n.notification_uuid = $4::text::uuid) n
    join counterfoil.consumption_requests d on d.notification_id = n.id
) l
cross join lateral (
    (
        select s.* from counterfoil.consumption_request_status s
        where not $2::boolean and s.closed_at is null and s.deadline > now() and coalesce(s.decision in ('waiting', 'refused'), true)
            and ($1::text is null or s.bundle_id = $1::text)
            and s.deadline >= coalesce(l.deadline, '-infinity')
            and ($4::text is null or (s.deadline, s.notification_uuid) > (l.deadline, $4::text::uuid))
        order by s.deadline, s.notification_uuid
        limit $3::integer
    )
    union all
    (
        select s.* from counterfoil.consumption_request_status s
        where $2::boolean and ($1::text is null or s.bundle_id = $1::text)
            and s.deadline <= coalesce(l.deadline, 'infinity')
            and ($4::text is null or (s.deadline, s.notification_uuid) < (l.deadline, $4::text::uuid))
        order by s.deadline desc, s.notification_uuid desc
        limit $3::integer
    )
) c
order by
    case when not $2::boolean then c.deadline end, case when not $2::boolean then c.notification_uuid end,
    c.deadline desc, c.notification_uuid desc
