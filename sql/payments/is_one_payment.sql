-- Whether two transactions of one original, under different ids, are one payment: of a subscription those of one period (by its
-- web order line item id or, where one of them lacks it, by its time of purchase, which receipts know to the second), of what is
-- bought for good all between two refunds.
--
-- A shop may have listed a product as of another kind before. What was listed as a consumable, and shares an original transaction
-- with another, restores or renews it: then the other's kind tells, and two consumables count as one. Where no kind is known, only
-- what is a period counts.
create or replace function counterfoil.is_one_payment(
    of_bundle text, of_environment text, of_original text,
    one_kind text, one_item text, one_purchased_at timestamptz,
    other_kind text, other_item text, other_purchased_at timestamptz
) returns boolean
language sql stable
begin atomic
    select case coalesce(nullif(one_kind, 'consumable'), other_kind, one_kind)
        when 'consumable' then (one_kind = 'consumable' and other_kind = 'consumable') is true
        when 'non_consumable' then
            counterfoil.bought_apart(of_bundle, of_environment, of_original, one_purchased_at, other_purchased_at) is not true
        when 'non_renewing' then
            counterfoil.bought_apart(of_bundle, of_environment, of_original, one_purchased_at, other_purchased_at) is not true
        else one_item = other_item
            or (one_item is null or other_item is null)
            and date_trunc('second', one_purchased_at) = date_trunc('second', other_purchased_at)
    end;
end;
comment on function counterfoil.is_one_payment(text, text, text, text, text, timestamptz, text, text, timestamptz) is
    'Private: whether two transactions of one original, under different ids, are one payment.';
grant execute on function counterfoil.is_one_payment(text, text, text, text, text, timestamptz, text, text, timestamptz)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
