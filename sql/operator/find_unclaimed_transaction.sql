-- A verified payment that was not granted, as the ledger keeps it, with the reason why; a row an environment.
--
-- product_kind: Apple's word, else what the shop listed when the payment was kept. Null where neither had one, or a restore was
-- listed as a consumable. read_payments has the other facts, and what the shop lists now.
--
-- $1 text  bundle id    $2 text  transaction id    $3 text  environment, or null for either
select
    u.environment, u.transaction_id, u.original_transaction_id, u.web_order_line_item_id, u.product_id, u.product_kind, u.quantity,
    u.purchased_at, u.expires_at, u.app_account_token, u.reason
from counterfoil.unclaimed_transactions u
where u.bundle_id = $1::text and u.transaction_id = $2::text and ($3::text is null or u.environment = $3::text)
order by u.environment
