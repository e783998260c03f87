-- What Apple asks about refunds and nobody answered yet, though it may still be, the earliest deadline first.
--
-- $1 text[]  bundle ids, or null: all apps
-- $2 int4    at most
select
    c.bundle_id, c.environment, c.transaction_id, c.notification_uuid, c.reason, c.requested_at, c.deadline,
    c.original_transaction_id, c.product_id, c.quantity, c.account_id, c.order_id
from counterfoil.consumption_request_status c
where c.closed_at is null and c.deadline > now() and coalesce(c.decision = 'refused', true)
    and ($1::text[] is null or c.bundle_id = any ($1::text[]))
order by c.deadline
limit $2::integer
