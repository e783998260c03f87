-- A page of the feed.
--
-- $1 text  cursor    $2 int4  the most to return
select
    c.id, c.at, c.kind, c.order_id, c.order_version, c.account_id, c.bundle_id, c.product_id, c.quantity, c.environment,
    c.transaction_id, c.reason, c.refunded_share, c.next_cursor, c.original_transaction_id,
    c.product_kind, c.purchased_at, c.expires_at, c.app_account_token, c.details
from counterfoil.changes_since($1::text, $2::integer) c
