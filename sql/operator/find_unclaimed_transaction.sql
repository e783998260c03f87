-- A verified payment that was not granted, with Apple's facts and the reason why; a row an environment.
--
-- $1 text  bundle id    $2 text  transaction id    $3 text  environment, or null for either
select
    u.environment, u.transaction_id, u.original_transaction_id, u.web_order_line_item_id, u.product_id,
    -- Apple signs no consumable that restores another purchase: the shop's list said so, and may say otherwise now.
    case when u.product_kind = 'consumable' and u.transaction_id <> u.original_transaction_id
        then coalesce(p.kind, u.product_kind) else coalesce(u.product_kind, p.kind) end as product_kind,
    u.quantity, u.purchased_at, u.expires_at, u.app_account_token, u.reason
from counterfoil.unclaimed_transactions u
left join counterfoil.products p on p.bundle_id = u.bundle_id and p.product_id = u.product_id
where u.bundle_id = $1::text and u.transaction_id = $2::text and ($3::text is null or u.environment = $3::text)
order by u.environment
