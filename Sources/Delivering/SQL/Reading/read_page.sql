-- A page of the feed, and of each change what the reader knows of it.
--
-- read_at and next_xid are of a moment before the page is read: the function reads with a later snapshot than this statement.
--
-- $1 text  cursor    $2 int4  the most to return
select
    statement_timestamp() as read_at, pg_snapshot_xmax(pg_current_snapshot())::text as next_xid, c.id, c.at, c.kind, k.key, c.account_id,
    c.bundle_id, c.next_cursor,
    -- Only who began anew is told anything again.
    split_part($1::text, '/', 2) = '1:1:' and c.id in (select unnest(p.ids) from {pages} p) as is_told,
    exists (select from {waiting} w where w.key = k.key and w.next_at is not null) as is_held,
    (to_jsonb(c) - 'next_cursor')::text as change
from counterfoil.changes_since($1::text, $2::integer) c
cross join lateral (
    select coalesce('order ' || c.order_id, concat_ws(' ', 'payment', c.bundle_id, c.environment, c.transaction_id)) as key
) k
order by c.id
