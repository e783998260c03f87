-- Makes an order that was paid another account's: that one sees it from now on, and is told of its refunds; later periods of its
-- subscription follow it (account_of_transfer). The payment, its grant and its key stay, so that nothing can be granted again.
-- Doing it again is harmless. Returns whether it was new, the account before, and the account now: of an account that was moved the
-- one that it is now.
--
-- After the lock of all acts on accounts, locks come in the settlement's sequence: the order, its original.
create or replace function counterfoil.transfer_order(of_order text, to_account text, who text, why text)
returns table (is_new boolean, from_account text, account_now text)
language plpgsql security definer rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    ordered counterfoil.orders;
    paid counterfoil.payments;
    present text;
    target text;
    told jsonb;
begin
    if length(transfer_order.to_account) not between 1 and 200 then
        perform counterfoil.refuse('account_id_has_1_to_200_characters');
    end if;
    -- As all acts on accounts do, first. An account that is moved at the same moment: the next statement sees where to.
    lock table counterfoil.moves in share row exclusive mode;
    select * into ordered from counterfoil.orders o where o.order_id = of_order for no key update;
    if not found then
        perform counterfoil.refuse('transferred_orders_are_known');
    end if;
    select * into paid from counterfoil.payments p where p.order_number = ordered.number;
    if not found then
        perform counterfoil.refuse('transferred_orders_are_paid');
    end if;
    insert into counterfoil.originals (original_transaction_id, bundle_id, environment)
    values (paid.original_transaction_id, paid.bundle_id, paid.environment)
    on conflict on constraint one_lock_an_original do update set environment = excluded.environment where false;
    select n.account_id into present from counterfoil.account_now(ordered.account_id, ordered.number) n;
    select n.account_id into target from counterfoil.account_now(transfer_order.to_account) n;
    if present = target then
        return query select false, present, target;
        return;
    end if;

    insert into counterfoil.moves (order_number, from_account, to_account, who, why)
    values (ordered.number, present, target, transfer_order.who, transfer_order.why);
    insert into counterfoil.moved_orders as m (
        order_number, account_id, original_transaction_id, bundle_id, environment, purchased_at
    )
    values (ordered.number, target, paid.original_transaction_id, paid.bundle_id, paid.environment, paid.purchased_at)
    on conflict (order_number) do update set account_id = excluded.account_id;

    update counterfoil.orders o set version = o.version + 1, updated_at = now() where o.number = ordered.number
    returning o.version into ordered.version;
    told := jsonb_build_object('order_id', of_order, 'from_account', present, 'to_account', target);
    insert into counterfoil.changes (kind, orders, versions, details)
    values ('order_transferred', array[ordered.number], array[ordered.version], told || jsonb_build_object('account_id', target));
    insert into counterfoil.changes (kind, bundle_id, environment, details)
    values ('order_transferred', paid.bundle_id, paid.environment, told || jsonb_build_object('account_id', present));

    if paid.product_kind = 'auto_renewable' then
        -- Of its run, earlier ones too.
        perform counterfoil.tell_payments(array_agg(t.bundle_id), array_agg(t.environment), array_agg(t.transaction_id))
        from (
            select t.bundle_id, t.environment, t.transaction_id
            from counterfoil.told_payments t
            where t.original_transaction_id = paid.original_transaction_id and t.bundle_id = paid.bundle_id
                and t.environment = paid.environment and t.name in ('unclaimed', 'renewal')
            order by t.purchased_at
        ) t
        having count(*) > 0;
        perform counterfoil.tell_subscriptions(
            array[paid.original_transaction_id], array[paid.bundle_id], array[paid.environment], array[paid.transaction_id]);
    end if;
    return query select true, present, target;
end
$$;
comment on function counterfoil.transfer_order(text, text, text, text) is
    'Private: makes a paid order another account''s, for a reason.';
grant execute on function counterfoil.transfer_order(text, text, text, text) to counterfoil_support;
