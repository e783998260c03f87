-- The unclaimed payments that may still fulfil an order which showed them first: of its product, no renewals, and no old ones that
-- its receipt happened to show, unless the order was made for such a one or an operator is to decide about it. What has one of the
-- reasons listed here was weighed for this order, or may have been. orders_left_behind has the same rule for many orders.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.unclaimed_for_order(of_order text)
returns table (transaction_id text)
language sql stable
begin atomic
    select u.transaction_id
    from counterfoil.orders o
    cross join lateral (
        select s.* from counterfoil.payment_states s where s.shown_by_number = o.number and s.reason is not null offset 0
    ) u
    where o.order_id = any (array[of_order]) and u.product_id = o.product_id and u.state = 'unclaimed'
        and (
            u.reason in (
                'purchase_before_order', 'token_missing', 'quantity_short', 'order_already_paid', 'order_cancelled',
                'unsupported_yet', 'seats_added', 'partly_refunded', 'settlement_refused'
            )
            or o.recovery or u.transaction_id = o.transaction_id
            or u.purchased_at >= o.created_at - (
                select a.purchase_time_tolerance from counterfoil.apps a where a.bundle_id = o.bundle_id
            )
        )
    offset 0;
end;
comment on function counterfoil.unclaimed_for_order(text) is 'Private: the unclaimed payments that may still fulfil an order.';
grant execute on function counterfoil.unclaimed_for_order(text) to counterfoil_worker, counterfoil_support;
