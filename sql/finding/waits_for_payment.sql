-- Whether a payment may still pay for an order of this state.
create or replace function counterfoil.waits_for_payment(state text) returns boolean
language sql immutable parallel safe
begin atomic
    select state in ('open', 'rejected', 'review');
end;
comment on function counterfoil.waits_for_payment(text) is 'Private: whether a payment may still pay for an order of this state.';
grant execute on function counterfoil.waits_for_payment(text) to counterfoil_worker, counterfoil_support;
