-- What is unclaimed of a payment, under its id or, but for renewals, under another one. Rows are told by their places, for those
-- who delete them; the lock of the payment (lock_payments.sql) keeps them there.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.unclaimed_of_payment(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamptz
)
returns table (place tid, transaction_id text, account_id text, first_seen_at timestamptz)
language sql stable
as $$
    select u.ctid, u.transaction_id, u.account_id, u.first_seen_at
    from counterfoil.unclaimed_transactions u
    where u.bundle_id = of_bundle and u.environment = of_environment and u.transaction_id = of_id
    union all
    select u.ctid, u.transaction_id, u.account_id, u.first_seen_at
    from counterfoil.unclaimed_transactions u
    where of_kind <> 'consumable' and u.bundle_id = of_bundle and u.environment = of_environment
        and u.original_transaction_id = of_original and u.reason <> 'renewal' and u.transaction_id <> of_id
        and counterfoil.is_one_payment(
            of_kind, of_bundle, of_environment, of_original, of_item, of_purchased_at, u.web_order_line_item_id, u.purchased_at)
    offset 0
$$;
comment on function counterfoil.unclaimed_of_payment(text, text, text, text, text, text, timestamptz) is
    'Private: what is unclaimed of a payment, under any of its ids.';
grant execute on function counterfoil.unclaimed_of_payment(text, text, text, text, text, text, timestamptz) to counterfoil_worker;
