-- The accounts that Apple's customer was seen with, who made a payment: those of other payments with the same customer or the same
-- original transaction.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text)
returns table (account_id text)
language sql stable
begin atomic
    select k.account_id
    from (
        select p.account_id
        from counterfoil.payments p
        where p.customer_id = (
                select c.customer_id from counterfoil.payments c
                where c.transaction_id = of_id and c.bundle_id = of_bundle and c.environment = of_environment
            )
            and p.bundle_id = of_bundle and p.environment = of_environment and p.account_id is not null
        union
        select p.account_id
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.account_id is not null
        union
        select p.account_id
        from counterfoil.payments p
        where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.account_id is not null
        limit 10
    ) k
    offset 0;
end;
comment on function counterfoil.accounts_of_customer(text, text, text, text) is
    'Private: the accounts that Apple''s customer was seen with.';
grant execute on function counterfoil.accounts_of_customer(text, text, text, text) to counterfoil_worker, counterfoil_support;
