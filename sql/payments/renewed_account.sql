-- The account whose subscription a period renews; no row where it renews none. Whatever the product: a plan may change within a
-- subscription.
--
-- Apple says which it is: a purchase renews nothing, and a renewal is of the account that was granted the latest earlier period,
-- whatever was refunded before. A receipt doesn't say. Then a period renews if an earlier one of that account ended at most sixty
-- days before it begins, or nobody knows when, and wasn't refunded as a whole before it was bought. PaymentFacts.renews has the
-- same rule for the period that is granted in the same settlement.
--
-- This is how a payment is called that no order claims. It keeps a payment from no order.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.renewed_account(
    of_bundle text, of_environment text, of_original text, of_purchased_at timestamptz, of_reason text
)
returns table (account_id text)
language sql stable
begin atomic
    select w.account_id
    from counterfoil.owner_of_period(of_bundle, of_environment, of_original, of_purchased_at) w
    where case
        when of_reason is not null then of_reason = 'renewal'
        else (
            select true
            from (
                select p.transaction_id, p.account_id, p.web_order_line_item_id, p.purchased_at, p.expires_at
                from counterfoil.payments p
                where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                    and p.original_transaction_id <> p.transaction_id and p.granted_at is not null
                union all
                select p.transaction_id, p.account_id, p.web_order_line_item_id, p.purchased_at, p.expires_at
                from counterfoil.payments p
                where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                    and p.granted_at is not null
            ) g
            where g.account_id = w.account_id and g.purchased_at < of_purchased_at
                and coalesce(g.expires_at, 'infinity') >= of_purchased_at - interval '1440 hours'
                and (
                    select true
                    from counterfoil.revocations_in_force r
                    where r.original_transaction_id = of_original and r.bundle_id = of_bundle and r.environment = of_environment
                        and r.is_whole and r.occurred_at < of_purchased_at
                        and (
                            r.transaction_id = g.transaction_id
                            or counterfoil.is_one_payment(
                                of_bundle, of_environment, of_original, 'auto_renewable', g.web_order_line_item_id, g.purchased_at,
                                'auto_renewable', r.web_order_line_item_id, r.purchased_at)
                        )
                    limit 1
                ) is null
            limit 1
        )
    end
    offset 0;
end;
comment on function counterfoil.renewed_account(text, text, text, timestamptz, text) is
    'Private: the account whose subscription a period renews.';
grant execute on function counterfoil.renewed_account(text, text, text, timestamptz, text)
    to counterfoil_worker, counterfoil_support;
