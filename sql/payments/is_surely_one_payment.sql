-- Whether two transactions of one original that seem to be one payment are that for sure: of the same period of a subscription, or
-- of the same time. Of all others a refund may tell some day that they were bought apart.
create or replace function counterfoil.is_surely_one_payment(
    one_item text, one_purchased_at timestamptz, other_item text, other_purchased_at timestamptz
) returns boolean
language sql immutable
as $$ select (one_item = other_item) is true or one_purchased_at = other_purchased_at $$;
comment on function counterfoil.is_surely_one_payment(text, timestamptz, text, timestamptz) is
    'Private: whether two transactions that seem to be one payment are that for sure.';
grant execute on function counterfoil.is_surely_one_payment(text, timestamptz, text, timestamptz) to counterfoil_worker;
