-- The changes after a cursor of the feed, as a backend reads them.
--
-- $1 text  cursor
select c.kind, c.order_id, c.bundle_id, c.environment, c.transaction_id, c.next_cursor
from counterfoil.changes_since($1::text, 10000) c
order by c.id
