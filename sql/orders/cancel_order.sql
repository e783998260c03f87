-- The shop withdraws an order. A payment that arrives later is kept as unclaimed.

create or replace function counterfoil.cancel_order(order_id text, why text) returns setof counterfoil.order_status
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    current_state text;
begin
    select o.state into current_state from counterfoil.orders o where o.order_id = cancel_order.order_id for no key update;
    if not found then
        perform counterfoil.refuse('event_names_a_known_order');
    end if;
    if current_state in ('fulfilled', 'refunded') then
        perform counterfoil.refuse('paid_orders_are_not_cancelled');
    end if;
    if current_state <> 'cancelled' then
        insert into counterfoil.order_events (order_id, kind, who, why)
        values (cancel_order.order_id, 'cancelled', session_user, cancel_order.why);
        update counterfoil.orders o
        set state = 'cancelled', reason = 'order_cancelled', version = o.version + 1, updated_at = now()
        where o.order_id = cancel_order.order_id;
    end if;
    return query select * from counterfoil.order_status s where s.order_id = cancel_order.order_id;
end
$$;
comment on function counterfoil.cancel_order(text, text) is
    'Cancels an order that isn''t paid, for a reason; a payment that comes later is unclaimed. Safe to repeat.';

grant execute on function counterfoil.cancel_order(text, text) to counterfoil_backend, counterfoil_support;
