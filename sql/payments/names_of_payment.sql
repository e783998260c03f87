-- The rows of payments that are a payment: of its id, of its key once that is granted, and of its other names. Usually none or one;
-- one may come several times. account_id: whose it is now.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.names_of_payment(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text,
    of_purchased_at timestamptz
)
returns table (
    transaction_id text, account_id text, order_number bigint, reason text, seen_at timestamptz, product_kind text,
    additional_reason text, purchase_reason text, paid_at timestamptz, is_advanced_commerce boolean, shown_by_number bigint
)
language sql stable
begin atomic
    select
        e.transaction_id, n.account_id, e.order_number, e.reason, e.seen_at, e.product_kind, e.additional_reason, e.purchase_reason,
        e.paid_at, e.is_advanced_commerce, e.shown_by_number
    from (
        select
            p.transaction_id, p.account_id, p.order_number, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
            p.paid_at, p.is_advanced_commerce, coalesce(p.shown_by_number, p.order_number) as shown_by_number
        from counterfoil.payments p
        where p.transaction_id = of_id and p.bundle_id = of_bundle and p.environment = of_environment
        union all
        select
            p.transaction_id, p.account_id, p.order_number, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
            p.paid_at, p.is_advanced_commerce, coalesce(p.shown_by_number, p.order_number)
        from counterfoil.payments p
        where p.payment_key = of_key and p.bundle_id = of_bundle and p.environment = of_environment and p.granted_at is not null
            and (
                p.payment_key like 'web_order:%'
                or counterfoil.is_one_payment(
                    of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at, p.product_kind,
                    p.web_order_line_item_id, p.purchased_at)
            )
        union all
        select
            p.transaction_id, p.account_id, p.order_number, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
            p.paid_at, p.is_advanced_commerce, coalesce(p.shown_by_number, p.order_number)
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.transaction_id <> of_id
            and p.purchased_at >= date_trunc('second', of_purchased_at)
            and p.purchased_at < date_trunc('second', of_purchased_at) + interval '1 second'
            and counterfoil.is_one_payment(
                of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at, p.product_kind, p.web_order_line_item_id,
                p.purchased_at)
        union all
        -- A subscription may have thousands of periods: those of another moment are found by the line item.
        select
            p.transaction_id, p.account_id, p.order_number, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
            p.paid_at, p.is_advanced_commerce, coalesce(p.shown_by_number, p.order_number)
        from counterfoil.payments p
        where p.web_order_line_item_id = of_item and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.original_transaction_id = of_original and p.transaction_id <> of_id
            and date_trunc('second', p.purchased_at) <> date_trunc('second', of_purchased_at)
            and counterfoil.is_one_payment(
                of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at, p.product_kind, p.web_order_line_item_id,
                p.purchased_at)
        union all
        select
            p.transaction_id, p.account_id, p.order_number, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
            p.paid_at, p.is_advanced_commerce, coalesce(p.shown_by_number, p.order_number)
        from counterfoil.payments p
        where coalesce(of_kind, case when of_item is not null then 'auto_renewable' end, '') <> 'auto_renewable'
            and p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.transaction_id <> of_id
            and date_trunc('second', p.purchased_at) <> date_trunc('second', of_purchased_at)
            and counterfoil.is_one_payment(
                of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at, p.product_kind, p.web_order_line_item_id,
                p.purchased_at)
        union all
        select
            p.transaction_id, p.account_id, p.order_number, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
            p.paid_at, p.is_advanced_commerce, coalesce(p.shown_by_number, p.order_number)
        from counterfoil.payments p
        where of_id <> of_original and p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and counterfoil.is_one_payment(
                of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at, p.product_kind, p.web_order_line_item_id,
                p.purchased_at)
        offset 0
    ) e
    cross join lateral counterfoil.account_now(e.account_id, e.order_number) n
    offset 0;
end;
comment on function counterfoil.names_of_payment(text, text, text, text, text, text, text, timestamptz) is
    'Private: the transactions that are one payment.';
grant execute on function counterfoil.names_of_payment(text, text, text, text, text, text, text, timestamptz)
    to counterfoil_worker, counterfoil_support;
