-- A purchase that two orders were granted, one of them under another id or key.
--
-- Restores are few, and so is what was granted under an unusual key: each is looked up.
select g.order_id, g.bundle_id, g.environment, g.transaction_id, g.original_transaction_id
from counterfoil.grants g
where (
        g.transaction_id <> g.original_transaction_id and g.grant_key not like 'web_order:%'
        or g.product_kind = 'auto_renewable' and g.web_order_line_item_id is null
    )
    and (
        select true
        from counterfoil.grants_of_payment(
            g.bundle_id, g.environment, g.transaction_id, g.original_transaction_id, g.web_order_line_item_id, g.product_kind,
            g.purchased_at
        ) h
        where h.grant_id <> g.id
        limit 1
    )
union all
-- A subscription's period, once while its product was listed as of another kind.
select g.order_id, g.bundle_id, g.environment, g.transaction_id, g.original_transaction_id
from counterfoil.grants g
where g.web_order_line_item_id is not null and g.grant_key not like 'web_order:%'
    and (
        select o.original_transaction_id = g.original_transaction_id from counterfoil.grants o
        where o.bundle_id = g.bundle_id and o.environment = g.environment
            and o.grant_key = 'web_order:' || g.web_order_line_item_id
    )
limit 100
