-- Tells the feed of a payment that nothing was granted for, once: when it comes to light, or when what spoke for it is gone. So it
-- tells of a further period of a subscription that its account has. Other names of granted payments, refunded ones and what is
-- older than the ledger aren't told.
--
-- It is called at the end of the database transaction: what became an order's by then was never unclaimed. Nor is what this
-- transaction brought to the order that its token names (upload_found_payments): the job tells, if the payment still is
-- (tell_brought_payments).
--
-- Idioms: generic plan, offset 0.

create or replace function counterfoil.tell_unclaimed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
    silent constant text[] := '{restored,refunded,before_ledger}';
begin
    if tg_op = 'INSERT' and new.reason = any (silent)
        or tg_op = 'UPDATE' and new.reason <> 'renewal'
        and (old.reason <> all (silent || array['renewal']) or new.reason = any (silent))
    then
        return null;
    end if;
    insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason, share)
    select
        case s.state when 'renewal' then 'subscription_renewed' else 'payment_unclaimed' end, s.transaction_id, s.environment,
        s.bundle_id, s.reason, s.refunded_share
    from (
        select * from counterfoil.payment_states s
        where s.transaction_id = new.transaction_id and s.bundle_id = new.bundle_id and s.environment = new.environment
        offset 0
    ) s
    where s.state in ('unclaimed', 'renewal')
        -- What became a renewal by an update since is told by that.
        and not (tg_op = 'INSERT' and s.reason = 'renewal' and new.reason <> 'renewal')
        and not (
            tg_op = 'INSERT' and new.app_account_token is not null and exists (
                select
                from counterfoil.notifications n
                join counterfoil.orders o on o.order_id = n.order_id
                join counterfoil.jobs j on j.order_number = o.number
                where n.transaction_id = new.transaction_id and n.bundle_id = new.bundle_id and n.environment = new.environment
                    and n.processed_at = now() and j.transaction_id = new.transaction_id and j.found_by is not null
                    and j.state <> 'discarded'
            )
        );
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
    after update on counterfoil.payments deferrable initially deferred
    for each row when (new.reason <> old.reason)
    execute function counterfoil.tell_unclaimed()
$$);
