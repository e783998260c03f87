-- The whole ledger, with what it publishes of each payment.
select
    g.bundle_id, g.environment, g.transaction_id, g.order_id, g.quantity, g.grant_key, g.product_kind,
    g.original_transaction_id, g.web_order_line_item_id, g.purchased_at, g.expires_at
from counterfoil.grants g
