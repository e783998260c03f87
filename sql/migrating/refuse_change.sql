-- The ledger and the history are append-only, by privilege and by trigger: also for their owner. The one exception is the database
-- transaction that forgets an account (forget_account): it has a row that is never committed.

create or replace function counterfoil.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    if tg_op = 'UPDATE' and exists (select from counterfoil.erasures e where e.database_transaction = pg_current_xact_id()) then
        return null;
    end if;
    raise exception 'rows of counterfoil.% are never changed or removed', tg_table_name
        using errcode = 'restrict_violation', schema = 'counterfoil', table = tg_table_name,
            constraint = 'the_ledger_is_append_only';
end
$$;

-- What may change of a payment that isn't granted, refuse_change_of_payment says.
select counterfoil.make_trigger('counterfoil.payments', 'payments_are_never_removed', $$
    before delete or truncate on counterfoil.payments
    for each statement execute function counterfoil.refuse_change()
$$);

select counterfoil.make_trigger('counterfoil.revocations', 'revocations_are_append_only', $$
    before update or delete or truncate on counterfoil.revocations
    for each statement execute function counterfoil.refuse_change()
$$);

select counterfoil.make_trigger('counterfoil.order_events', 'order_events_are_append_only', $$
    before update or delete or truncate on counterfoil.order_events
    for each statement execute function counterfoil.refuse_change()
$$);

select counterfoil.make_trigger('counterfoil.moves', 'moves_are_append_only', $$
    before update or delete or truncate on counterfoil.moves
    for each statement execute function counterfoil.refuse_change()
$$);

select counterfoil.make_trigger('counterfoil.orders', 'orders_are_never_deleted', $$
    before delete or truncate on counterfoil.orders
    for each statement execute function counterfoil.refuse_change()
$$);

-- Statements on the table itself, and on that of changes; partitions are dropped by retention.
select counterfoil.make_trigger('counterfoil.other_attempts', 'attempts_are_append_only', $$
    before update or delete or truncate on counterfoil.other_attempts
    for each statement execute function counterfoil.refuse_change()
$$);

select counterfoil.make_trigger('counterfoil.changes', 'changes_are_append_only', $$
    before update or delete or truncate on counterfoil.changes
    for each statement execute function counterfoil.refuse_change()
$$);
