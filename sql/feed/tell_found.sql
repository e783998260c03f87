-- Tells the feed that a payment was brought to an order whose client didn't show it. What becomes of the order is told when it
-- does.

create or replace function counterfoil.tell_found() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    told record;
begin
    -- The lock comes before the change's number.
    update counterfoil.orders o set version = o.version + 1 where o.order_id = new.order_id returning o.number, o.version into told;
    insert into counterfoil.changes (kind, orders, versions) values ('order_found', array[told.number], array[told.version]);
    return null;
end
$$;
comment on function counterfoil.tell_found() is 'Private: tells the feed of a payment that was brought to an order.';

select counterfoil.make_trigger('counterfoil.order_events', 'found_payments_are_told', $$
    after insert on counterfoil.order_events
    for each row when (new.kind = 'found')
    execute function counterfoil.tell_found()
$$);
