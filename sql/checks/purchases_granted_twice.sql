-- A payment that two orders were granted, each under another name.
--
-- Its key guards a period, and its id a consumable. The others are few, and each is looked up: restores; periods without a line
-- item, or that were granted while their product was listed as of another kind.
select
    (select o.order_id from counterfoil.orders o where o.number = p.order_number) as order_id, p.bundle_id, p.environment,
    p.transaction_id, p.original_transaction_id
from counterfoil.payments p
where p.order_number is not null
    and case
        when p.payment_key like 'web\_order:%' then p.payment_key <> 'web_order:' || p.web_order_line_item_id
        else p.transaction_id <> p.original_transaction_id or p.product_kind = 'auto_renewable'
            or p.web_order_line_item_id is not null
    end
    and (
        select true
        from counterfoil.names_of_payment(
            p.bundle_id, p.environment, p.transaction_id, p.original_transaction_id, p.web_order_line_item_id, p.payment_key,
            p.product_kind, p.purchased_at
        ) n
        where n.order_number <> p.order_number
        limit 1
    )
limit 100
