-- Checks what never changes of an order where it is written: at its insert, and where the owner changes it. Each update would check
-- a constraint, and each statement compile it anew: for these four as much as a fifth of an insert.
--
-- The triggers' conditions repeat the rules. An order that keeps them costs no call.

create or replace function counterfoil.refuse_order() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    broken text := case
        when length(new.account_id) not between 1 and 200 then 'account_id_has_1_to_200_characters'
        when length(new.order_id) not between 1 and 200 then 'order_id_has_1_to_200_characters'
        when length(new.product_id) not between 1 and 200 then 'ordered_product_id_has_1_to_200_characters'
        when new.quantity not between 1 and 10 then 'quantity_is_1_to_10'
    end;
begin
    if broken is not null then
        perform counterfoil.refuse(broken);
    end if;
    return new;
end
$$;
comment on function counterfoil.refuse_order() is 'Private: refuses an order that breaks a rule of what never changes.';

select counterfoil.make_trigger('counterfoil.orders', 'orders_keep_their_rules', $$
    before insert on counterfoil.orders
    for each row when (
        (
            length(new.account_id) between 1 and 200 and length(new.order_id) between 1 and 200
            and length(new.product_id) between 1 and 200 and new.quantity between 1 and 10
        ) is false
    )
    execute function counterfoil.refuse_order()
$$);

-- After the update: a trigger before it would lock the row of each order that is settled.
select counterfoil.make_trigger('counterfoil.orders', 'changed_orders_keep_their_rules', $$
    after update of order_id, product_id, account_id, quantity on counterfoil.orders
    for each row when (
        (
            length(new.account_id) between 1 and 200 and length(new.order_id) between 1 and 200
            and length(new.product_id) between 1 and 200 and new.quantity between 1 and 10
        ) is false
    )
    execute function counterfoil.refuse_order()
$$);
