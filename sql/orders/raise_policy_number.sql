-- An app's policy has a number, which rises with each change of what a payment is judged by: payments.fits_under names it. Nobody
-- else sets it.

create or replace function counterfoil.raise_policy_number() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    new.policy_number := old.policy_number
        + (
            (new.sandbox_policy, new.absent_token_policy, new.purchase_time_tolerance, new.ledger_starts_at)
            is distinct from (old.sandbox_policy, old.absent_token_policy, old.purchase_time_tolerance, old.ledger_starts_at)
        )::integer;
    return new;
end
$$;

select counterfoil.make_trigger('counterfoil.apps', 'raise_policy_number', $$
    before update on counterfoil.apps
    for each row execute function counterfoil.raise_policy_number()
$$);
