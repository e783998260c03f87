-- A transaction as the ledger has it, a row an app and environment.
--
-- $1 text  transaction    $2 text  bundle id, or null
select
    s.transaction_id, s.state, s.product_id, s.quantity, s.purchased_at, s.product_kind, s.expires_at,
    trim_scale(s.refunded_share / 1000.0) as refunded_share, s.refunded_at, s.reason, s.paid_order_id as order_id,
    (select o.order_id from counterfoil.orders o where o.number = s.shown_by_number) as shown_by,
    coalesce(s.paid_account_id, s.account_id) as account_id, s.client_action, s.app_account_token, s.original_transaction_id,
    s.web_order_line_item_id, s.seen_at, s.granted_at, s.bundle_id, s.environment
from counterfoil.payment_answers s
where s.transaction_id = $1::text and ($2::text is null or s.bundle_id = $2::text)
order by s.bundle_id, s.environment
