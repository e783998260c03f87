-- The refunds, of the whole, of other transactions of the same original that a purchase came after: of what is bought for good
-- those that stood when it was made, also if they were reversed since (as bought_apart has it); of a subscription those that stand
-- now.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.refunds_before(
    of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamptz
)
returns table (transaction_id text)
language sql stable
begin atomic
    select r.transaction_id
    from counterfoil.revocations r
    where r.original_transaction_id = of_original and r.bundle_id = of_bundle and r.environment = of_environment
        and r.transaction_id <> of_id and r.share = 100000 and r.occurred_at < of_purchased_at
        and not exists (
            select from counterfoil.revocations v
            where v.original_transaction_id = of_original and v.bundle_id = of_bundle and v.environment = of_environment
                and v.transaction_id = r.transaction_id and v.kind = 'reversal' and v.occurred_at >= r.occurred_at
                and (of_kind = 'auto_renewable' or v.occurred_at < of_purchased_at)
        )
    offset 0;
end;
comment on function counterfoil.refunds_before(text, text, text, text, text, timestamptz) is
    'Private: the refunds of the same original transaction that a purchase came after.';
grant execute on function counterfoil.refunds_before(text, text, text, text, text, timestamptz) to counterfoil_worker, counterfoil_support;
