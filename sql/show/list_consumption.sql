-- Apple's questions about refunds, the earliest deadline first: those that may still be answered, or with all the latest ones.
--
-- $1 text  app, or null: any    $2 bool  all    $3 int4  at most
select c.deadline, c.notification_uuid, c.product_id, c.account_id, c.order_id, c.reason, c.decision, c.decision_error
from (
    (
        select s.* from counterfoil.consumption_request_status s
        where not $2::boolean and s.closed_at is null and s.deadline > now() and coalesce(s.decision in ('waiting', 'refused'), true)
            and ($1::text is null or s.bundle_id = $1::text)
        order by s.deadline
        limit $3::integer
    )
    union all
    (
        select s.* from counterfoil.consumption_request_status s
        where $2::boolean and ($1::text is null or s.bundle_id = $1::text)
        order by s.deadline desc
        limit $3::integer
    )
) c
order by c.deadline
