-- The triggers that deliver_refunds_by makes: hand over a refund, or its reversal.
--
-- An entry that will move its order is handed over with that move, which follows in the same database transaction
-- (settle_payments). An order may also be moved without an entry, when another name of its payment comes to light.

create or replace function counterfoil.deliver_refund() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    refunds counterfoil.refund[];
begin
    if exists (select from counterfoil.imports i where i.database_transaction = pg_current_xact_id()) then
        return null;
    end if;
    if tg_table_name = 'orders' then
        refunds := array(
            select f.refund
            from counterfoil.payments p
            cross join lateral counterfoil.refunds_of_payment(p.transaction_id, p.bundle_id, p.environment) f
            where p.order_id = new.order_id
            -- The last word: it moved the order.
            order by f.as_of desc, f.id desc
            limit 1
        );
    else
        refunds := array(
            select f.refund
            from counterfoil.payments_of_original(new.bundle_id, new.environment, new.original_transaction_id) s
            join counterfoil.orders o on o.order_id = s.order_id
            cross join lateral counterfoil.refunds_of_payment(s.transaction_id, s.bundle_id, s.environment) f
            where f.id = new.id and (o.state, s.state) not in (('fulfilled', 'refunded'), ('refunded', 'granted'))
        );
    end if;
    if cardinality(refunds) > 0 then
        perform counterfoil.hand_over(tg_argv[0], refunds);
    end if;
    return null;
end
$$;
