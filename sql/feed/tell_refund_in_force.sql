-- Tells the feed what stands of the refunds of a fulfilled order's payment: a part, or nothing any more. The order's row is locked,
-- and its version counts this change already.

create or replace function counterfoil.tell_refund_in_force(of_order bigint) returns void
language sql set search_path = pg_catalog, pg_temp set enable_nestloop = on set jit = off
as $$
    insert into counterfoil.changes (kind, orders, versions, share)
    select
        case when s.is_partly_refunded then 'order_partly_refunded' else 'refund_reversed' end, array[o.number],
        array[o.version], s.refunded_share
    from counterfoil.orders o
    join counterfoil.payment_states s on s.order_number = o.number
    where o.number = of_order
$$;
comment on function counterfoil.tell_refund_in_force(bigint) is
    'Private: tells the feed what stands of the refunds of a fulfilled order.';
