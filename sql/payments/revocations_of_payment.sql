-- A payment's revocations in force, whole and partial ones, under any of its names. The last word, by Apple's time, counts:
-- refund_of_payment.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.revocations_of_payment(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamptz
)
returns table (
    transaction_id text, as_of timestamptz, recorded_at timestamptz, share integer, is_whole boolean, occurred_at timestamptz
)
language sql stable
begin atomic
    select r.transaction_id, r.as_of, r.recorded_at, r.share, r.is_whole, r.occurred_at
    from counterfoil.revocations_in_force r
    where r.original_transaction_id = of_original and r.bundle_id = of_bundle and r.environment = of_environment
        and (
            r.transaction_id = of_id
            or counterfoil.is_one_payment(
                of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at,
                (
                    select p.product_kind from counterfoil.payments p
                    where p.transaction_id = r.transaction_id and p.bundle_id = of_bundle and p.environment = of_environment
                ),
                r.web_order_line_item_id, r.purchased_at)
        )
    offset 0;
end;
comment on function counterfoil.revocations_of_payment(text, text, text, text, text, text, timestamptz) is
    'Private: the revocations of a payment that are in force.';
grant execute on function counterfoil.revocations_of_payment(text, text, text, text, text, text, timestamptz)
    to counterfoil_worker, counterfoil_support;
