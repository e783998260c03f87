-- Tells the feed of payments that are called otherwise because an earlier period ends otherwise than was known: whether a period
-- renews another, and which periods are one run, follows from ends. Ends that differ by less than a second are the same
-- (record_period_ends): for them the walk over all later periods is left out.
create or replace function counterfoil.tell_moved_end() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
    period record;
    known_until timestamptz;
begin
    select p.original_transaction_id, p.purchased_at, p.expires_at into period
    from counterfoil.payments p
    where p.transaction_id = new.transaction_id and p.bundle_id = new.bundle_id and p.environment = new.environment;
    if tg_op = 'INSERT' then
        known_until := period.expires_at;
    else
        known_until := old.ends_at;
    end if;
    if new.ends_at - known_until < interval '1 second' and known_until - new.ends_at < interval '1 second' then
        return null;
    end if;
    perform counterfoil.tell_payments(array_agg(t.bundle_id), array_agg(t.environment), array_agg(t.transaction_id))
    from (
        select t.bundle_id, t.environment, t.transaction_id
        from counterfoil.told_payments t
        where t.original_transaction_id = period.original_transaction_id and t.bundle_id = new.bundle_id
            and t.environment = new.environment and t.name in ('unclaimed', 'renewal') and t.purchased_at > period.purchased_at
        order by t.purchased_at
    ) t
    having count(*) > 0;
    return null;
end
$$;
comment on function counterfoil.tell_moved_end() is
    'Private: tells the feed of payments that are called otherwise because an earlier period ends otherwise.';

select counterfoil.make_trigger('counterfoil.period_ends', 'ends_are_told', $$
    after insert on counterfoil.period_ends
    for each row execute function counterfoil.tell_moved_end()
$$);

select counterfoil.make_trigger('counterfoil.period_ends', 'moved_ends_are_told', $$
    after update on counterfoil.period_ends
    for each row when (new.ends_at <> old.ends_at)
    execute function counterfoil.tell_moved_end()
$$);
