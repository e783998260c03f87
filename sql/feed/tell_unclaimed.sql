-- Tells the feed of a payment that nothing was granted for, when its row is written: that it came to light, and what is told
-- otherwise now (tell_payment). What other payments say of it, tell_subscriptions tells. Other names of granted payments, refunded
-- ones and what is older than the ledger don't come to light.
--
-- That it came to light is told at the end of the database transaction: what became an order's by then was never unclaimed. Nor is
-- what this transaction brought to the order that its token names (upload_found_payments): the job tells, if the payment still is
-- (tell_brought_payments).

create or replace function counterfoil.tell_unclaimed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
    silent constant text[] := '{restored,refunded,before_ledger}';
begin
    if new.reason = any (silent) and (
        tg_op = 'INSERT' or not exists (
            select from counterfoil.told_payments t
            where t.transaction_id = new.transaction_id and t.bundle_id = new.bundle_id and t.environment = new.environment
        )
    ) then
        return null;
    end if;
    if tg_op = 'INSERT' and new.app_account_token is not null and exists (
        select
        from counterfoil.notifications n
        join counterfoil.orders o on o.order_id = n.order_id
        join counterfoil.jobs j on j.order_number = o.number
        where n.transaction_id = new.transaction_id and n.bundle_id = new.bundle_id and n.environment = new.environment
            and n.processed_at = now() and j.transaction_id = new.transaction_id and j.found_by is not null
            and j.state <> 'discarded'
    ) then
        return null;
    end if;
    perform counterfoil.tell_payment(new.bundle_id, new.environment, new.transaction_id);
    return null;
end
$$;
comment on function counterfoil.tell_unclaimed() is 'Private: tells the feed of a payment that nothing was granted for.';

select counterfoil.make_trigger('counterfoil.payments', 'unclaimed_payments_are_told', $$
    after insert on counterfoil.payments deferrable initially deferred
    for each row when (new.reason is not null)
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
