-- The changes after a cursor of the feed, each with the next cursor.
--
-- $1 text  cursor
select c.kind, coalesce(c.order_id, ''), c.bundle_id, c.environment, c.transaction_id, c.next_cursor
from counterfoil.changes_since($1::text) c
