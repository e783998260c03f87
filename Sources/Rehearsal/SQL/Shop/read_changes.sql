-- The changes after a cursor of the feed.
--
-- $1 text  cursor
select kind, order_id, refunded_share from counterfoil.changes_since($1::text)
