-- Whether the feed was read for all endpoints while a database transaction wasn't over.
--
-- $1 text  its number
select bool_and(
    exists (
        select from pg_snapshot_xip(split_part(e.cursor, '/', 2)::pg_snapshot) x (xid) where x.xid::text = $1::text
    )
) as have_passed
from counterfoil.webhook_endpoints e
