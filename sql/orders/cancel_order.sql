-- The shop withdraws an order. A payment that arrives later is kept as unclaimed. An order of another account than the one that is
-- given is answered as an unknown one.

create or replace function counterfoil.cancel_order(
    order_id text, why text, account_id text default null
) returns setof counterfoil.order_status
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    current_state text;
    owner text;
begin
    -- An order of another account isn't locked.
    select n.account_id into owner
    from counterfoil.orders o
    cross join lateral counterfoil.account_now(o.account_id, o.number) n
    where o.order_id = cancel_order.order_id;
    if not found or owner <> (select k.account_id from counterfoil.account_asked(cancel_order.account_id) k) then
        perform counterfoil.refuse('event_names_a_known_order');
    end if;
    select o.state into current_state from counterfoil.orders o where o.order_id = cancel_order.order_id for no key update;
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
comment on function counterfoil.cancel_order(text, text, text) is
    'Cancels an order that isn''t paid, for a reason; a payment that comes later is unclaimed. Safe to repeat.';

grant execute on function counterfoil.cancel_order(text, text, text) to counterfoil_backend, counterfoil_support;
