-- Tells the feed of a payment that nothing was granted for, when its row is written: that it came to light, and what is told
-- otherwise now (tell_payments). What other payments say of it, tell_subscriptions tells.
--
-- That it came to light is told at the end of the database transaction: what became an order's by then was never unclaimed. A
-- settlement tells of all its payments at once (tell_kept_payments): nothing is left for this.

create or replace function counterfoil.tell_unclaimed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
    if tg_op = 'INSERT' and exists (
        select from counterfoil.told_payments t
        where t.transaction_id = new.transaction_id and t.bundle_id = new.bundle_id and t.environment = new.environment
    ) then
        return null;
    end if;
    perform counterfoil.tell_payments(array[new.bundle_id], array[new.environment], array[new.transaction_id]);
    return null;
end
$$;
comment on function counterfoil.tell_unclaimed() is 'Private: tells the feed of a payment that nothing was granted for.';

select counterfoil.make_trigger('counterfoil.payments', 'unclaimed_payments_are_told', $$
    after insert on counterfoil.payments deferrable initially deferred
    for each row when (counterfoil.comes_to_light(new.reason))
    execute function counterfoil.tell_unclaimed()
$$);

select counterfoil.make_trigger('counterfoil.payments', 'payments_that_become_unclaimed_are_told', $$
    after update on counterfoil.payments
    for each row when (
        old.reason is not null and (
            new.reason is distinct from old.reason or new.account_id is distinct from old.account_id
            or new.shown_by_number is distinct from old.shown_by_number
            or new.app_account_token is distinct from old.app_account_token
            or new.purchase_reason is distinct from old.purchase_reason
        )
    )
    execute function counterfoil.tell_unclaimed()
$$);
