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
-- An entry that lacks something stops the import. Of a transaction that was seen before, Apple's facts count. While it runs,
-- imports has a row for it, so that nothing is told again (tell_order).

create or replace function counterfoil.import_grants(bundle_id text, environment text, entries jsonb)
returns table (order_id text, transaction_id text, outcome text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- A look-up for each entry, whatever the statistics know of tables that an import is filling.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
    -- A few seconds.
    most_entries constant integer := 10000;
    one record;
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
            create temporary table imported_entries on commit drop as
            select
                row_number() over () as place, e.order_id, e.account_id, e.product_id, e.product_kind, e.transaction_id,
                e.app_account_token, e.quantity, coalesce(p.quantity, e.quantity, 1) as paid_quantity,
                coalesce(p.original_transaction_id, e.original_transaction_id, e.transaction_id) as original_id,
                case when p.additional_reason is null then coalesce(p.web_order_line_item_id, e.web_order_line_item_id) end
                    as web_order_line_item_id,
                coalesce(p.purchased_at, e.purchased_at) as purchased_at, e.expires_at, null::text as payment_key,
                p.transaction_id is not null as is_seen, p.product_id as seen_product_id, false as is_ordered,
                null::text as outcome
            from jsonb_to_recordset(import_grants.entries) as e (
                order_id text, account_id text, product_id text, product_kind text, transaction_id text,
                original_transaction_id text, web_order_line_item_id text, quantity integer, purchased_at timestamptz,
                expires_at timestamptz, app_account_token uuid
            )
            left join lateral (
                select p.*
                from counterfoil.payments p
                where p.transaction_id = e.transaction_id and p.bundle_id = import_grants.bundle_id
                    and p.environment = import_grants.environment
                offset 0
            ) p on true;
            update pg_temp.imported_entries e
            set payment_key = counterfoil.payment_key(e.product_kind, e.original_id, e.web_order_line_item_id);
            create index on pg_temp.imported_entries (original_id);
            create index on pg_temp.imported_entries (order_id);
            create index on pg_temp.imported_entries (transaction_id);
            create index on pg_temp.imported_entries (payment_key);
            create index on pg_temp.imported_entries (place);
            analyze pg_temp.imported_entries;

            -- The settlement's sequence of locks: orders, originals, payments.
            perform from counterfoil.orders o
            where o.order_id = any (array(select e.order_id from pg_temp.imported_entries e))
            order by o.order_id
            for no key update;
            insert into counterfoil.originals (original_transaction_id, bundle_id, environment)
            select distinct e.original_id collate "C", import_grants.bundle_id, import_grants.environment
            from pg_temp.imported_entries e
            order by 1
            on conflict on constraint one_lock_an_original do update set environment = excluded.environment where false;
            perform from counterfoil.payments p
            where p.transaction_id = any (array(select e.transaction_id from pg_temp.imported_entries e))
                and p.bundle_id = import_grants.bundle_id and p.environment = import_grants.environment
            order by p.transaction_id
            for no key update;

            -- What the ledger holds against each.
            update pg_temp.imported_entries e
            set outcome = j.outcome, is_ordered = j.is_ordered
            from (
                select
                    e.place, o.order_id is not null as is_ordered,
                    case
                        when h.order_number = o.number then 'known'
                        when h.order_number is not null then 'another_order_was_granted'
                        when (select true from counterfoil.payments g where g.order_number = o.number)
                            then 'another_payment_was_granted'
                        when (o.bundle_id, o.product_id) <> (import_grants.bundle_id, e.product_id)
                            or (select n.account_id from counterfoil.account_now(o.account_id, o.number) n)
                                <> (select n.account_id from counterfoil.account_now(e.account_id) n)
                            or o.quantity > e.paid_quantity
                            then 'another_order'
                        when not counterfoil.waits_for_payment(o.state) then 'order_is_over'
                        when e.seen_product_id <> e.product_id then 'another_product'
                    end as outcome
                from pg_temp.imported_entries e
                left join lateral (select o.* from counterfoil.orders o where o.order_id = e.order_id offset 0) o on true
                left join lateral (
                    select n.order_number
                    from counterfoil.names_of_payment(
                        import_grants.bundle_id, import_grants.environment, e.transaction_id, e.original_id,
                        e.web_order_line_item_id, e.payment_key, e.product_kind, e.purchased_at
                    ) n
                    where n.order_number is not null
                    limit 1
                ) h on true
            ) j
            where e.place = j.place;

            -- Of several entries for one payment, or for one order, the first that nothing else stands against.
            for one in
                select e.*
                from (
                    select
                        e.*, row_number() over (partition by e.order_id order by e.place) > 1
                        or row_number() over (partition by e.transaction_id order by e.place) > 1
                        or row_number() over (partition by e.original_id order by e.place) > 1
                        or e.payment_key is not null and row_number() over (partition by e.payment_key order by e.place) > 1
                            as may_repeat
                    from pg_temp.imported_entries e
                    where e.outcome is null
                ) e
                where e.may_repeat
                order by e.place
            loop
                update pg_temp.imported_entries e
                set outcome = (
                    select
                        case
                            when not b.is_payment then 'another_payment_was_granted'
                            when b.order_id = one.order_id then 'known'
                            else 'another_order_was_granted'
                        end
                    from (
                        select
                            b.order_id, b.outcome, b.place,
                            (
                                b.transaction_id = one.transaction_id
                                or b.payment_key = one.payment_key and b.payment_key like 'web\_order:%'
                                or b.original_id = one.original_id
                                and counterfoil.is_one_payment(
                                    import_grants.bundle_id, import_grants.environment, one.original_id, one.product_kind,
                                    one.web_order_line_item_id, one.purchased_at, b.product_kind, b.web_order_line_item_id,
                                    b.purchased_at)
                            ) is true as is_payment
                        from (
                            (select * from pg_temp.imported_entries b where b.order_id = one.order_id offset 0)
                            union
                            (select * from pg_temp.imported_entries b where b.transaction_id = one.transaction_id offset 0)
                            union
                            (select * from pg_temp.imported_entries b where b.original_id = one.original_id offset 0)
                            union
                            (select * from pg_temp.imported_entries b where b.payment_key = one.payment_key offset 0)
                        ) b
                        where b.place < one.place and b.outcome is null
                    ) b
                    where b.is_payment or b.order_id = one.order_id
                    order by b.is_payment desc
                    limit 1
                )
                where e.place = one.place;
            end loop;
            -- Bought again after a refund: a payment of its own, under its id.
            update pg_temp.imported_entries e
            set payment_key = null
            from (
                select e.place, row_number() over (partition by e.payment_key order by e.place) > 1 as is_repeated
                from pg_temp.imported_entries e
                where e.outcome is null and e.payment_key like 'original:%'
            ) k
            where k.place = e.place
                and (
                    k.is_repeated
                    or (
                        select true
                        from counterfoil.payments p
                        where p.payment_key = e.payment_key and p.bundle_id = import_grants.bundle_id
                            and p.environment = import_grants.environment and p.granted_at is not null
                    )
                );

            insert into counterfoil.orders (
                order_id, bundle_id, product_id, account_id, quantity, app_account_token, recovery, state, transaction_id,
                environment, fulfilled_at
            )
            select
                e.order_id, import_grants.bundle_id, e.product_id, n.account_id, coalesce(e.quantity, 1), e.app_account_token, true,
                'fulfilled', e.transaction_id, import_grants.environment, e.purchased_at
            from pg_temp.imported_entries e
            -- A moved account takes no new orders.
            cross join lateral counterfoil.account_now(e.account_id) n
            where e.outcome is null and not e.is_ordered
            order by e.order_id;
            update counterfoil.orders o
            set state = 'fulfilled', reason = null, transaction_id = e.transaction_id, environment = import_grants.environment,
                fulfilled_at = e.purchased_at, updated_at = now()
            from pg_temp.imported_entries e
            where e.outcome is null and e.is_ordered and o.order_id = any (array[e.order_id]);
            update counterfoil.payments p
            set order_number = o.number, granted_at = now(), reason = null, product_kind = e.product_kind,
                payment_key = e.payment_key, account_id = o.account_id
            from pg_temp.imported_entries e
            join counterfoil.orders o on o.order_id = any (array[e.order_id])
            where e.outcome is null and e.is_seen and p.transaction_id = any (array[e.transaction_id])
                and p.bundle_id = import_grants.bundle_id and p.environment = import_grants.environment;
            insert into counterfoil.payments (
                order_number, granted_at, bundle_id, environment, payment_key, transaction_id, original_transaction_id,
                web_order_line_item_id, product_id, product_kind, quantity, purchased_at, expires_at, app_account_token, account_id
            )
            select
                o.number, now(), import_grants.bundle_id, import_grants.environment, e.payment_key, e.transaction_id,
                e.original_id, e.web_order_line_item_id, e.product_id, e.product_kind, e.paid_quantity, e.purchased_at,
                e.expires_at, e.app_account_token, o.account_id
            from pg_temp.imported_entries e
            join counterfoil.orders o on o.order_id = any (array[e.order_id])
            where e.outcome is null and not e.is_seen
            order by e.transaction_id;
            insert into counterfoil.order_events (order_id, kind, who, why)
            select e.order_id, 'imported', session_user, 'granted before by another system'
            from pg_temp.imported_entries e
            where e.outcome is null
            order by e.place;
            exit;
        exception when unique_violation then
            -- Somebody else made such an order or payment meanwhile: the next snapshot has it.
            if try = 3 then
                raise;
            end if;
        end;
    end loop;

    -- What settle_payments does: a new order, and its grant, are in this snapshot.
    update counterfoil.orders o
    set state = 'refunded', reason = 'refunded', updated_at = now()
    where o.state = 'fulfilled' and o.number = any (array(
        select i.number
        from pg_temp.imported_entries e
        cross join lateral (select i.number from counterfoil.orders i where i.order_id = e.order_id offset 0) i
        cross join lateral (select s.state from counterfoil.payment_states s where s.order_number = i.number offset 0) s
        where e.outcome is null and s.state = 'refunded'
    ));

    return query
    select e.order_id, e.transaction_id, coalesce(e.outcome, 'imported') from pg_temp.imported_entries e order by e.place;
    drop table pg_temp.imported_entries;
    delete from counterfoil.imports i where i.database_transaction = pg_current_xact_id();
end
$$;
comment on function counterfoil.import_grants(text, text, jsonb) is
    'Loads what was granted before, with its orders. Safe to repeat; returns what became of each entry.';
