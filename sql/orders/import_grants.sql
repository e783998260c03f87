-- For a shop that moves here, or that restored a backup: what was granted before, so that nothing is granted again.
--
-- entries is an array of at most 10,000 objects: order_id, account_id, product_id, product_kind, transaction_id, purchased_at
-- (timestamp with time zone), and, where known, original_transaction_id, web_order_line_item_id, quantity, expires_at,
-- app_account_token. One whose order isn't known makes the order; one whose order is open, rejected or in review, and was made for
-- the same app, product and account, fulfils it.
--
-- Returns a row an entry, in the order given. Only one that is imported writes anything:
--
-- - imported; a payment whose refund is known already comes in as refunded;
-- - known: its order was granted this payment before, by the ledger or by an earlier entry;
-- - another_order_was_granted the payment;
-- - another_payment_was_granted to its order;
-- - another_order: its order is for another app, product or account, or for more units than were paid;
-- - another_product: Apple showed the transaction with another product;
-- - order_is_over: its order is refunded or cancelled.
--
-- The entries come in one after the other, so that of several for one payment, or for one order, the first that nothing stands
-- against does. An entry that lacks something stops the import. Of a transaction that was seen before, Apple's facts count. While it
-- runs, imports has a row for it, so that nothing is told again (tell_orders).

create or replace function counterfoil.import_grants(bundle_id text, environment text, entries jsonb)
returns table (order_id text, transaction_id text, outcome text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- A look-up for each entry, whatever the statistics know of tables that an import is filling. No plan is made for one entry.
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
    -- A few seconds.
    most_entries constant integer := 10000;
    one record;
    against text;
    is_ordered boolean;
    outcomes text[];
begin
    -- What it waits for it must see.
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'an import needs the isolation level read committed'
            using errcode = 'invalid_transaction_state';
    end if;
    if jsonb_array_length(import_grants.entries) > most_entries then
        raise exception '% entries are too many for one import', jsonb_array_length(import_grants.entries)
            using errcode = 'program_limit_exceeded',
                hint = format(
                    'Import at most %s at a time, each call in a database transaction of its own.', most_entries);
    end if;
    insert into counterfoil.imports values (pg_current_xact_id());

    for try in 1..3 loop
        begin
            outcomes := array[]::text[];
            -- The settlement's sequence of locks: orders, originals, payments.
            perform from counterfoil.orders o
            where o.order_id = any (array(select e ->> 'order_id' from jsonb_array_elements(import_grants.entries) e))
            order by o.order_id
            for no key update;
            insert into counterfoil.originals (original_transaction_id, bundle_id, environment)
            select distinct
                coalesce(p.original_transaction_id, e ->> 'original_transaction_id', e ->> 'transaction_id') collate "C",
                import_grants.bundle_id, import_grants.environment
            from jsonb_array_elements(import_grants.entries) e
            left join lateral (
                select p.original_transaction_id
                from counterfoil.payments p
                where p.transaction_id = e ->> 'transaction_id' and p.bundle_id = import_grants.bundle_id
                    and p.environment = import_grants.environment
                offset 0
            ) p on true
            order by 1
            on conflict on constraint one_lock_an_original do update set environment = excluded.environment where false;
            perform from counterfoil.payments p
            where p.transaction_id = any (array(select e ->> 'transaction_id' from jsonb_array_elements(import_grants.entries) e))
                and p.bundle_id = import_grants.bundle_id and p.environment = import_grants.environment
            order by p.transaction_id
            for no key update;

            for one in
                select
                    e.order_id, e.account_id, e.product_id, e.product_kind, e.transaction_id, e.app_account_token, e.quantity,
                    e.expires_at, f.*, p.product_id as seen_product_id,
                    case
                        when e.product_kind in ('non_consumable', 'non_renewing') then 'original:' || f.original_id
                        when e.product_kind = 'auto_renewable' then 'web_order:' || f.item
                    end as payment_key
                from rows from (
                    jsonb_to_recordset(import_grants.entries) as (
                        order_id text, account_id text, product_id text, product_kind text, transaction_id text,
                        original_transaction_id text, web_order_line_item_id text, quantity integer, purchased_at timestamptz,
                        expires_at timestamptz, app_account_token uuid
                    )
                ) with ordinality as e
                left join lateral (
                    select p.*
                    from counterfoil.payments p
                    where p.transaction_id = e.transaction_id and p.bundle_id = import_grants.bundle_id
                        and p.environment = import_grants.environment
                    offset 0
                ) p on true
                cross join lateral (
                    select
                        coalesce(p.original_transaction_id, e.original_transaction_id, e.transaction_id) as original_id,
                        case when p.additional_reason is null then coalesce(p.web_order_line_item_id, e.web_order_line_item_id) end
                            as item,
                        coalesce(p.quantity, e.quantity, 1) as paid_quantity, coalesce(p.purchased_at, e.purchased_at) as purchased_at
                ) f
                order by e.ordinality
            loop
                -- What the ledger holds against it, with the entries before.
                select
                    case
                        when h.order_id = one.order_id then 'known'
                        when h.order_id is not null then 'another_order_was_granted'
                        when (select true from counterfoil.payments g where g.order_id = one.order_id)
                            then 'another_payment_was_granted'
                        when (o.bundle_id, o.product_id, o.account_id)
                            <> (import_grants.bundle_id, one.product_id, one.account_id) or o.quantity > one.paid_quantity
                            then 'another_order'
                        when o.state not in ('open', 'rejected', 'review') then 'order_is_over'
                        when one.seen_product_id <> one.product_id then 'another_product'
                    end,
                    o.order_id is not null
                into against, is_ordered
                from (select) as always
                left join counterfoil.orders o on o.order_id = one.order_id
                left join lateral (
                    select n.order_id
                    from counterfoil.names_of_payment(
                        import_grants.bundle_id, import_grants.environment, one.transaction_id, one.original_id, one.item,
                        one.payment_key, one.product_kind, one.purchased_at
                    ) n
                    where n.order_id is not null
                    limit 1
                ) h on true;
                outcomes := outcomes || coalesce(against, 'imported');
                continue when against is not null;

                -- Bought again after a refund: a payment of its own, under its id.
                if (
                    select true
                    from counterfoil.payments p
                    where p.payment_key = one.payment_key and p.bundle_id = import_grants.bundle_id
                        and p.environment = import_grants.environment and p.granted_at is not null
                ) then
                    one.payment_key := null;
                end if;
                if is_ordered then
                    update counterfoil.orders o
                    set state = 'fulfilled', reason = null, transaction_id = one.transaction_id,
                        environment = import_grants.environment, fulfilled_at = one.purchased_at, updated_at = now()
                    where o.order_id = one.order_id;
                else
                    insert into counterfoil.orders (
                        order_id, bundle_id, product_id, account_id, quantity, app_account_token, recovery, state, transaction_id,
                        environment, fulfilled_at
                    )
                    values (
                        one.order_id, import_grants.bundle_id, one.product_id, one.account_id, coalesce(one.quantity, 1),
                        one.app_account_token, true, 'fulfilled', one.transaction_id, import_grants.environment, one.purchased_at
                    );
                end if;
                if one.seen_product_id is not null then
                    update counterfoil.payments p
                    set order_id = one.order_id, granted_at = now(), reason = null, product_kind = one.product_kind,
                        payment_key = one.payment_key, account_id = one.account_id,
                        shown_by = coalesce(p.shown_by, one.order_id)
                    where p.transaction_id = one.transaction_id and p.bundle_id = import_grants.bundle_id
                        and p.environment = import_grants.environment;
                else
                    insert into counterfoil.payments (
                        order_id, granted_at, shown_by, bundle_id, environment, payment_key, transaction_id,
                        original_transaction_id, web_order_line_item_id, product_id, product_kind, quantity, purchased_at,
                        expires_at, app_account_token, account_id
                    )
                    values (
                        one.order_id, now(), one.order_id, import_grants.bundle_id, import_grants.environment, one.payment_key,
                        one.transaction_id, one.original_id, one.item, one.product_id, one.product_kind, one.paid_quantity,
                        one.purchased_at, one.expires_at, one.app_account_token, one.account_id
                    );
                end if;
            end loop;
            exit;
        exception when unique_violation or deadlock_detected then
            -- Somebody else made such an order or payment meanwhile: the next snapshot has it.
            if try = 3 then
                raise;
            end if;
        end;
    end loop;

    insert into counterfoil.order_events (order_id, kind, who, why)
    select e.entry ->> 'order_id', 'imported', session_user, 'granted before by another system'
    from jsonb_array_elements(import_grants.entries) with ordinality as e (entry, place)
    where outcomes[e.place] = 'imported'
    order by e.place;
    -- What settle_payments does, once all payments are in the ledger.
    update counterfoil.orders o
    set state = 'refunded', reason = 'refunded', updated_at = now()
    where o.state = 'fulfilled' and o.order_id = any (array(
        select e.entry ->> 'order_id'
        from jsonb_array_elements(import_grants.entries) with ordinality as e (entry, place)
        cross join lateral (
            select s.state from counterfoil.payment_states s where s.order_id = e.entry ->> 'order_id' offset 0
        ) s
        where outcomes[e.place] = 'imported' and s.state = 'refunded'
    ));

    return query
    select e.entry ->> 'order_id', e.entry ->> 'transaction_id', outcomes[e.place]
    from jsonb_array_elements(import_grants.entries) with ordinality as e (entry, place)
    order by e.place;
    delete from counterfoil.imports i where i.database_transaction = pg_current_xact_id();
end
$$;
comment on function counterfoil.import_grants(text, text, jsonb) is
    'Loads what was granted before, with its orders. Safe to repeat; returns what became of each entry.';
