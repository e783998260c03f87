-- An account that was moved to another takes no new orders. One that it made before may be sent again.
--
-- The look-up costs an insert a half of its time: where no account was ever moved, the table has no page, and it is left out.

create or replace function counterfoil.refuse_order_of_moved_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
    -- Idiom: generic plan, also in the sessions of backends.
    set enable_seqscan = off set jit = off
as $$
begin
    if (select true from counterfoil.moved_accounts m where m.account_id = new.account_id)
        and not exists (select from counterfoil.orders o where o.order_id = new.order_id)
    then
        perform counterfoil.refuse('account_was_moved');
    end if;
    return new;
end
$$;
comment on function counterfoil.refuse_order_of_moved_account() is 'Private: refuses a new order of an account that was moved.';

select counterfoil.make_trigger('counterfoil.orders', 'moved_accounts_take_no_orders', $$
    before insert on counterfoil.orders
    for each row when (pg_relation_size('counterfoil.moved_accounts') > 0)
    execute function counterfoil.refuse_order_of_moved_account()
$$);
