-- Tells the feed of payments that nothing was granted for, each once: when it comes to light, or when what spoke for it is gone. So
-- it tells of a further period of a subscription that its account has. Other names of granted payments, refunded ones and what is
-- older than the ledger aren't told. One insert a statement.
--
-- Idioms: generic plan, offset 0.

create or replace function counterfoil.tell_unclaimed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
    silent constant text[] := '{restored,refunded,before_ledger}';
    ids text[];
    bundles text[];
    environments text[];
begin
    if tg_op = 'INSERT' then
        select array_agg(n.transaction_id), array_agg(n.bundle_id), array_agg(n.environment)
        into ids, bundles, environments
        from became n
        where n.reason <> all (silent);
    else
        select array_agg(n.transaction_id), array_agg(n.bundle_id), array_agg(n.environment)
        into ids, bundles, environments
        from became n
        join was o on o.transaction_id = n.transaction_id and o.bundle_id = n.bundle_id and o.environment = n.environment
        where n.reason <> o.reason
            and (o.reason = any (silent || array['renewal']) and n.reason <> all (silent || array['renewal']) or n.reason = 'renewal');
    end if;
    -- Most statements only grant.
    if ids is null then
        return null;
    end if;
    insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason, share)
    select
        case s.state when 'renewal' then 'subscription_renewed' else 'payment_unclaimed' end, s.transaction_id, s.environment, s.bundle_id,
        s.reason, s.refunded_share
    from unnest(ids, bundles, environments) as e (transaction_id, bundle_id, environment)
    cross join lateral (
        select * from counterfoil.payment_states s
        where s.transaction_id = e.transaction_id and s.bundle_id = e.bundle_id and s.environment = e.environment
        offset 0
    ) s
    where s.state in ('unclaimed', 'renewal');
    return null;
end
$$;
comment on function counterfoil.tell_unclaimed() is 'Private: tells the feed of payments that nothing was granted for.';

select counterfoil.make_trigger('counterfoil.payments', 'unclaimed_payments_are_told', $$
    after insert on counterfoil.payments
    referencing new table as became
    for each statement execute function counterfoil.tell_unclaimed()
$$);

select counterfoil.make_trigger('counterfoil.payments', 'payments_that_become_unclaimed_are_told', $$
    after update on counterfoil.payments
    referencing old table as was new table as became
    for each statement execute function counterfoil.tell_unclaimed()
$$);
