-- A payment of its account that was shown for an order in review or cancelled, and that another order has, or may have: no row
-- where none is known. order_status asks for it once nothing is pending.
--
-- Few orders are asked about, and a poll that plans the view would plan this each time. Idiom: generic plan.
create or replace function counterfoil.payment_elsewhere(o counterfoil.orders)
returns table (transaction_id text, product_id text, quantity integer, is_granted boolean)
language plpgsql stable rows 1 security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    select f.transaction_id, f.product_id, f.quantity, f.is_granted
    from (
        select o.transaction_id as id where o.state = 'review'
        union all
        select unnest(coalesce(a.shown_transaction_ids, array[a.transaction_id]))
        from counterfoil.attempts a
        where o.state = 'cancelled' and a.order_number = o.number
    ) w
    cross join lateral (
        select a.transaction_id, a.product_id, a.quantity, a.purchased_at, a.paid_order_number is not null as is_granted
        from counterfoil.payment_answers a
        where a.transaction_id = w.id and a.bundle_id = o.bundle_id
            and coalesce(a.paid_account_id, a.account_id)
                = (select n.account_id from counterfoil.account_now(o.account_id, o.number) n)
            and (o.environment is null or a.environment = o.environment) and a.paid_order_number is distinct from o.number
            and (
                a.paid_order_number is not null
                -- Another order like one in review would end in review, too.
                or (o.state <> 'review' or (a.product_id, a.quantity) is distinct from (o.product_id, o.quantity))
                and a.client_action = 'order_again'
            )
        offset 0
    ) f
    order by f.is_granted, f.purchased_at
    limit 1;
end
$$;
comment on function counterfoil.payment_elsewhere(counterfoil.orders) is
    'Private: a payment that was shown for an order, and that another order of the account has, or may have.';

-- A view's functions are called with the rights of whoever reads it.
grant execute on function counterfoil.payment_elsewhere(counterfoil.orders)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
