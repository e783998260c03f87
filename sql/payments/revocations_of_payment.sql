-- The revocations that take a payment back: of its id, or of the same payment under another one.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.revocations_of_payment(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamptz
)
returns table (transaction_id text, occurred_at timestamptz)
language sql stable
as $$
    select r.transaction_id, r.occurred_at
    from counterfoil.standing_revocations r
    where r.bundle_id = of_bundle and r.environment = of_environment and r.transaction_id = of_id
    union all
    select r.transaction_id, r.occurred_at
    from counterfoil.standing_revocations r
    where r.bundle_id = of_bundle and r.environment = of_environment and r.original_transaction_id = of_original
        and r.transaction_id <> of_id
        and counterfoil.is_one_payment(
            of_kind, of_bundle, of_environment, of_original, of_item, of_purchased_at, r.web_order_line_item_id, r.purchased_at)
    offset 0
$$;
comment on function counterfoil.revocations_of_payment(text, text, text, text, text, text, timestamptz) is
    'Private: the revocations that take a payment back.';
grant execute on function counterfoil.revocations_of_payment(text, text, text, text, text, text, timestamptz)
    to counterfoil_worker;
