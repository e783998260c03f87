-- For a shop that moves here: what its old backend granted, so that nothing is granted again.
--
-- entries is an array of at most 10,000 objects: order_id, account_id, product_id, product_kind, transaction_id, purchased_at
-- (timestamp with time zone), and, where known, original_transaction_id, web_order_line_item_id, quantity,
-- expires_at, app_account_token. One that is in the ledger already, for the same order, is passed over; one that
-- contradicts the ledger stops the import. A payment whose refund is known already comes in as refunded. All or nothing.
--
-- Meanwhile counterfoil.importing is 'on', for the shop's own triggers on grants: what comes in was delivered before.

create or replace function counterfoil.import_grants(bundle_id text, environment text, entries jsonb) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- A look-up for each entry, whatever the statistics know of tables that an import is filling.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
#variable_conflict use_column
declare
    -- Settlements stand still while these come in, for about half a second; they wait for a lock for five.
    most_entries constant integer := 10000;
    importing_before constant text := coalesce(current_setting('counterfoil.importing', true), '');
    imported bigint;
    contradiction text;
    careless_trigger text;
begin
    if jsonb_array_length(import_grants.entries) > most_entries then
        raise exception '% entries are too many for one import', jsonb_array_length(import_grants.entries)
            using errcode = 'program_limit_exceeded',
                hint = format(
                    'Import at most %s at a time, each call in a database transaction of its own.', most_entries);
    end if;

    -- One that delivers would deliver all of this again. A deferred one runs when the import is over: only its "when" counts.
    select t.tgname into careless_trigger
    from pg_trigger t
    join pg_proc p on p.oid = t.tgfoid
    where t.tgrelid = 'counterfoil.grants'::regclass and not t.tgisinternal and t.tgenabled <> 'D'
        and t.tgtype & 4 <> 0 -- for inserts
        and p.pronamespace <> 'counterfoil'::regnamespace
        and strpos(pg_get_triggerdef(t.oid), 'counterfoil.importing') = 0
        and (t.tgdeferrable or strpos(p.prosrc, 'counterfoil.importing') = 0)
    order by t.tgname
    limit 1;
    if found then
        raise exception 'the trigger % on counterfoil.grants would deliver again what was granted before', careless_trigger
            using errcode = 'object_not_in_prerequisite_state', schema = 'counterfoil', table = 'grants',
                hint = 'Make it again with: when (current_setting(''counterfoil.importing'', true) is distinct from ''on'')';
    end if;
    perform set_config('counterfoil.importing', 'on', true);

    create temporary table imported_entries on commit drop as
    select
        e.*,
        coalesce(e.original_transaction_id, e.transaction_id) as original_id,
        case
            when e.product_kind = 'consumable' then 'transaction:' || e.transaction_id
            when e.product_kind = 'auto_renewable' and e.web_order_line_item_id is not null
                then 'web_order:' || e.web_order_line_item_id
            when e.product_kind = 'auto_renewable' then 'transaction:' || e.transaction_id
            else 'original:' || coalesce(e.original_transaction_id, e.transaction_id)
        end as grant_key
    from jsonb_to_recordset(import_grants.entries) as e (
        order_id text, account_id text, product_id text, product_kind text, transaction_id text,
        original_transaction_id text, web_order_line_item_id text, quantity integer, purchased_at timestamptz,
        expires_at timestamptz, app_account_token uuid
    );
    analyze pg_temp.imported_entries;

    insert into counterfoil.orders (
        order_id, bundle_id, product_id, account_id, quantity, app_account_token, recovery, state, transaction_id,
        environment, fulfilled_at
    )
    select
        e.order_id, import_grants.bundle_id, e.product_id, e.account_id, coalesce(e.quantity, 1), e.app_account_token,
        true, 'fulfilled', e.transaction_id, import_grants.environment, e.purchased_at
    from pg_temp.imported_entries e
    order by e.order_id
    on conflict on constraint order_ids_are_unique do nothing;

    -- No settlement grants, keeps as unclaimed or takes back until this commits, and then it sees what was imported: each
    -- writes to one of these tables before it grants. (A lock for each payment, as theirs, would be too many.)
    lock table counterfoil.unclaimed_transactions, counterfoil.revocations in share row exclusive mode;

    select coalesce(e.order_id, '?') into contradiction
    from pg_temp.imported_entries e
    left join lateral (
        select g.order_id
        from counterfoil.grants g
        where g.bundle_id = import_grants.bundle_id and g.environment = import_grants.environment
            and g.grant_key = e.grant_key
        offset 0
    ) g on true
    left join lateral (
        select o.state, o.transaction_id from counterfoil.orders o where o.order_id = e.order_id offset 0
    ) o on true
    where g.order_id <> e.order_id
        or (g.order_id is null and (o.state, o.transaction_id) is distinct from ('fulfilled', e.transaction_id))
    limit 1;
    if found then
        raise exception 'the import contradicts the ledger at order %', contradiction
            using errcode = 'unique_violation', schema = 'counterfoil', table = 'grants',
                constraint = 'one_grant_a_payment';
    end if;

    with granted as (
        insert into counterfoil.grants (
            order_id, bundle_id, environment, grant_key, transaction_id, original_transaction_id,
            web_order_line_item_id, product_id, product_kind, quantity, purchased_at, expires_at, app_account_token,
            account_id
        )
        select
            e.order_id, import_grants.bundle_id, import_grants.environment, e.grant_key, e.transaction_id,
            e.original_id, e.web_order_line_item_id, e.product_id,
            e.product_kind, coalesce(e.quantity, 1), e.purchased_at, e.expires_at, e.app_account_token, e.account_id
        from pg_temp.imported_entries e
        where (select true from counterfoil.grants g where g.order_id = e.order_id) is null
        order by e.grant_key
        returning id, order_id, transaction_id
    ), named as (
        insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
        select import_grants.bundle_id, import_grants.environment, g.transaction_id, g.id from granted g
    ), told as (
        insert into counterfoil.order_events (order_id, kind, who, why)
        select g.order_id, 'imported', session_user, 'granted before by another system' from granted g
    )
    select count(*) into imported from granted;

    -- Under another key, which the unique keys don't see: granted while its product was listed as of another kind.
    select e.order_id into contradiction
    from pg_temp.imported_entries e
    where (
        select true
        from counterfoil.grants_of_payment(
            import_grants.bundle_id, import_grants.environment, e.transaction_id, e.original_id, e.web_order_line_item_id,
            e.product_kind, e.purchased_at
        ) h
        join counterfoil.grants g on g.id = h.grant_id
        where g.order_id <> e.order_id
        limit 1
    )
    limit 1;
    if found then
        raise exception 'the import contradicts the ledger at order %', contradiction
            using errcode = 'unique_violation', schema = 'counterfoil', table = 'grants',
                constraint = 'one_grant_a_payment';
    end if;

    -- As insert_grants.sql does it.
    with claimed as (
        delete from counterfoil.unclaimed_transactions d
        where d.ctid = any (array(
            select u.place
            from pg_temp.imported_entries e
            cross join lateral counterfoil.unclaimed_of_payment(
                import_grants.bundle_id, import_grants.environment, e.transaction_id, e.original_id, e.web_order_line_item_id,
                e.product_kind, e.purchased_at
            ) u
        ))
        returning d.*
    ), held as (
        select
            c as payment, g.id as grant_id,
            counterfoil.is_surely_one_payment(
                c.web_order_line_item_id, c.purchased_at, g.web_order_line_item_id, g.purchased_at) as is_sure
        from claimed c
        cross join lateral (
            select g.*
            from counterfoil.grants_of_payment(
                c.bundle_id, c.environment, c.transaction_id, c.original_transaction_id, c.web_order_line_item_id,
                nullif(c.product_kind, 'consumable'), c.purchased_at
            ) h
            join counterfoil.grants g on g.id = h.grant_id
            where g.transaction_id <> c.transaction_id
            limit 1
        ) g
    ), named_again as (
        insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
        select (h.payment).bundle_id, (h.payment).environment, (h.payment).transaction_id, h.grant_id
        from held h
        where h.is_sure
        on conflict do nothing
    )
    insert into counterfoil.restored_transactions
    select (h.payment).*, h.grant_id
    from held h
    where not h.is_sure
    on conflict do nothing;

    update counterfoil.orders o
    set state = 'refunded', reason = 'refunded', updated_at = now()
    where o.state = 'fulfilled' and o.order_id = any (array(
        select e.order_id
        from pg_temp.imported_entries e
        where (
            select true
            from counterfoil.grants g
            where g.order_id = e.order_id
                and (select true from counterfoil.revoked_grants r where r.grant_id = g.id limit 1)
        )
    ));

    drop table pg_temp.imported_entries;
    perform set_config('counterfoil.importing', importing_before, true);
    return imported;
end
$$;
comment on function counterfoil.import_grants(text, text, jsonb) is
    'Loads what another system granted, with its orders. Safe to repeat; returns how many grants were new.';
