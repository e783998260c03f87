-- For a client that lost its order id: a page of orders. An account may have made very many that nobody paid for.
--
-- Idioms: generic plan, offset 0.

create or replace function counterfoil.open_orders(account_id text, product_id text, before_order_id text default null)
returns setof counterfoil.order_status
language sql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
    select s.*
    from (
        select o.order_id, o.created_at
        from counterfoil.orders o
        left join counterfoil.orders b on b.order_id = open_orders.before_order_id and b.account_id = open_orders.account_id
        where o.account_id = open_orders.account_id and o.product_id = open_orders.product_id
            and counterfoil.waits_for_payment(o.state)
            and (open_orders.before_order_id is null or (o.created_at, o.order_id) < (b.created_at, b.order_id))
        order by o.created_at desc, o.order_id desc
        limit 100
    ) p
    cross join lateral (select t.* from counterfoil.order_status t where t.order_id = p.order_id offset 0) s
    order by p.created_at, p.order_id
$$;
comment on function counterfoil.open_orders(text, text, text) is
    'The newest 100 orders of an account and product that can still be paid, or of those made before another one, oldest first, with '
    'what the client should do.';

grant execute on function counterfoil.open_orders(text, text, text) to counterfoil_backend, counterfoil_support;
