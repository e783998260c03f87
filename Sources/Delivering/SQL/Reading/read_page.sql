-- A page of the feed, and of each change what the reader knows of it.
--
-- A change that was written before read_at bears a number below next_xid. read_at is the beginning of this database transaction.
-- next_xid is the next transaction number of the server, or this database transaction's own, which it got since: age counts from
-- there. A snapshot's xmax is less: it is the number after the last one that is over.
--
-- $1 text  cursor    $2 int4  the most to return
select
    now() as read_at, (n.xmax::text::bigint + age(n.xmax::xid))::text as next_xid, c.id, c.at, c.kind, k.key, c.account_id,
    c.bundle_id, c.next_cursor,
    -- Only who began anew is told anything again.
    split_part($1::text, '/', 2) = '1:1:' and c.id in (select unnest(p.ids) from {pages} p) as is_told,
    exists (select from {waiting} w where w.key = k.key and w.next_at is not null) as is_held,
    (to_jsonb(c) - 'next_cursor')::text as change
from counterfoil.changes_since($1::text, $2::integer) c
cross join (select pg_snapshot_xmax(pg_current_snapshot()) as xmax) n
cross join lateral (
    select coalesce(
        'order ' || c.order_id, case when c.transaction_id is null then 'account ' || c.account_id end,
        concat_ws(' ', 'payment', c.bundle_id, c.environment, c.transaction_id)
    ) as key
) k
order by c.id
