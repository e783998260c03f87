-- Tells the feed what became of an order, in the database transaction that moves it. A grant isn't told here: its own statement
-- tells (insert_grants, grant_first_payments), and raises the order's version. Who moves an order and leaves its version forgot
-- both: then this does both. An import tells nothing: another system has delivered it.

create or replace function counterfoil.tell_order() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    version integer := new.version;
begin
    if exists (select from counterfoil.imports i where i.database_transaction = pg_current_xact_id()) then
        return null;
    end if;
    if new.version = old.version then
        update counterfoil.orders o set version = o.version + 1 where o.number = new.number returning o.version into version;
    end if;
    if old.state = 'refunded' and new.state = 'fulfilled' then
        perform counterfoil.tell_refund_in_force(new.number);
        return null;
    end if;
    insert into counterfoil.changes (kind, orders, versions, transaction_id, environment, reason, share)
    values (
        case new.state
            when 'fulfilled' then 'order_fulfilled'
            when 'refunded' then 'order_refunded'
            when 'rejected' then 'order_rejected'
            when 'review' then 'order_in_review'
            when 'cancelled' then 'order_cancelled'
        end,
        array[new.number], array[version], case when new.state <> 'fulfilled' then new.transaction_id end,
        case when new.state <> 'fulfilled' then new.environment end, new.reason, case when new.state = 'refunded' then 100000 end
    );
    return null;
end
$$;
comment on function counterfoil.tell_order() is 'Private: tells the feed what became of an order.';

select counterfoil.make_trigger('counterfoil.orders', 'orders_are_told', $$
    after update on counterfoil.orders
    for each row when (
        (new.state <> old.state or new.reason is distinct from old.reason) and new.state <> 'open'
        and (new.state <> 'fulfilled' or old.state = 'refunded' or new.version = old.version)
    )
    execute function counterfoil.tell_order()
$$);
