-- For a client that lost its order id.

create or replace function counterfoil.open_orders(account_id text, product_id text)
returns setof counterfoil.order_status
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select s.*
    from counterfoil.orders o
    join counterfoil.order_status s on s.order_id = o.order_id
    where o.account_id = open_orders.account_id and o.product_id = open_orders.product_id
        and counterfoil.waits_for_payment(o.state)
    order by o.created_at, o.order_id
$$;
comment on function counterfoil.open_orders(text, text) is
    'Every order of an account and product that can still be paid, oldest first, with what the client should do.';

grant execute on function counterfoil.open_orders(text, text) to counterfoil_backend, counterfoil_support;
