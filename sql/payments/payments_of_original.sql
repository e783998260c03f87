-- All payments of an original transaction, each with what became of it.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text)
returns setof counterfoil.payment_states
language sql stable
begin atomic
    select s.*
    from counterfoil.payment_states s
    where s.transaction_id = of_original and s.bundle_id = of_bundle and s.environment = of_environment
    union all
    select s.*
    from counterfoil.payment_states s
    where s.original_transaction_id = of_original and s.bundle_id = of_bundle and s.environment = of_environment
        and s.original_transaction_id <> s.transaction_id
    offset 0;
end;
comment on function counterfoil.payments_of_original(text, text, text) is
    'Private: all payments of an original transaction, each with what became of it.';
grant execute on function counterfoil.payments_of_original(text, text, text) to counterfoil_worker, counterfoil_support;
