-- Claims the answer to Apple's question about a refund that is due the longest, for one call. Ends those that are too late: the
-- deadline passed, or Apple decided. While the gate of the app's API is closed, its answers wait.
--
-- $1 float8  seconds of the lease
--
-- Idioms: lock first, offset 0.
with late as (
    update counterfoil.consumption_answers a
    set state = 'late', ended_at = now(), lease_expires_at = null
    from counterfoil.consumption_requests c
    where a.state = 'waiting' and c.notification_id = a.notification_id and (c.deadline <= now() or c.closed_at is not null)
        and coalesce(a.lease_expires_at <= now(), true)
), due as materialized (
    select a.id, c.bundle_id, c.environment, c.transaction_id, c.deadline
    from counterfoil.consumption_answers a
    cross join lateral (
        select * from counterfoil.consumption_requests r where r.notification_id = a.notification_id offset 0
    ) c
    where a.state = 'waiting' and a.next_at <= now() and c.deadline > now() and c.closed_at is null
        and coalesce(a.lease_expires_at <= now(), true)
        and (
            select g.state from counterfoil.gates g
            where g.bundle_id = c.bundle_id and g.route = 'server_api' and g.environment = c.environment
        ) is distinct from 'closed'
    order by a.next_at, a.id
    limit 1
    for no key update of a skip locked
)
update counterfoil.consumption_answers a
set lease_token = a.lease_token + 1, lease_expires_at = now() + make_interval(secs => $1::double precision),
    attempts = a.attempts + 1
from due d
where a.id = d.id
returning
    a.id, a.lease_token, d.bundle_id, d.environment, d.transaction_id, a.attempts, a.uncertain_attempts, a.delivery_status,
    a.consumed_share::bigint as consumed_share, a.refund_preference, a.sample_content_provided,
    extract(epoch from d.deadline - now())::double precision as seconds_left
