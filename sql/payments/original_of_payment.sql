-- The original transaction of a payment: the ledger's word, else that of the proof, which may not know it. Always one row.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.original_of_payment(of_bundle text, of_environment text, of_id text, shown_original text)
returns table (original_transaction_id text)
language sql stable
as $$
    select coalesce(
        (
            select p.original_transaction_id from counterfoil.payments p
            where p.transaction_id = of_id and p.bundle_id = of_bundle and p.environment = of_environment
        ),
        shown_original
    )
    offset 0
$$;
comment on function counterfoil.original_of_payment(text, text, text, text) is 'Private: the original transaction of a payment.';
grant execute on function counterfoil.original_of_payment(text, text, text, text) to counterfoil_worker;
