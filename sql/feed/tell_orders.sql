-- Tells the feed what became of orders: one insert a statement, in its database transaction. An import tells nothing: another
-- system has delivered it.
--
-- A statement that moves an order adds one to its version; where a program doesn't know of that, this trigger does.

create or replace function counterfoil.tell_orders() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- The plan may be made for one order, and is kept: a loop would compare each of a hundred with each.
set enable_nestloop = off
as $$
declare
    unversioned text[];
    restored text[];
begin
    if exists (select from counterfoil.imports i where i.database_transaction = pg_current_xact_id()) then
        return null;
    end if;
    with moved as materialized (
        select
            n.order_id, greatest(n.version, o.version + 1) as version, n.state, n.reason, n.transaction_id, n.environment,
            n.version = o.version as is_unversioned, o.state = 'refunded' and n.state = 'fulfilled' as is_restored
        from became n
        join was o on o.order_id = n.order_id
        where (n.state <> o.state or n.reason is distinct from o.reason) and n.state <> 'open'
    ), told as (
        insert into counterfoil.changes (kind, order_id, order_version, transaction_id, environment, reason, share)
        select
            case m.state
                when 'fulfilled' then 'order_fulfilled'
                when 'refunded' then 'order_refunded'
                when 'rejected' then 'order_rejected'
                when 'review' then 'order_in_review'
                when 'cancelled' then 'order_cancelled'
            end,
            m.order_id, m.version, case when m.state <> 'fulfilled' then m.transaction_id end,
            case when m.state <> 'fulfilled' then m.environment end, m.reason, case when m.state = 'refunded' then 100000 end
        from moved m
        where not m.is_restored
    )
    select
        array_agg(m.order_id) filter (where m.is_unversioned), array_agg(m.order_id) filter (where m.is_restored)
    into unversioned, restored
    from moved m;

    if unversioned is not null then
        update counterfoil.orders o set version = o.version + 1 where o.order_id = any (unversioned);
    end if;
    if restored is not null then
        perform counterfoil.tell_refund_in_force(r.order_id) from unnest(restored) as r (order_id);
    end if;
    return null;
end
$$;
comment on function counterfoil.tell_orders() is 'Private: tells the feed what became of orders.';

select counterfoil.make_trigger('counterfoil.orders', 'orders_are_told', $$
    after update on counterfoil.orders
    referencing old table as was new table as became
    for each statement execute function counterfoil.tell_orders()
$$);
