-- For a shop that moves here: what its old backend granted, so that nothing is granted again.
--
-- entries is an array of objects: order_id, account_id, product_id, product_kind, transaction_id, purchased_at
-- (timestamp with time zone), and, where known, original_transaction_id, web_order_line_item_id, quantity,
-- expires_at, app_account_token. One that is in the ledger already, for the same order, is passed over; one that
-- contradicts the ledger stops the import. A payment whose refund is known already comes in as refunded. All or nothing.

create or replace function counterfoil.import_grants(bundle_id text, environment text, entries jsonb) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    imported bigint;
    contradiction text;
begin
    -- Settlements may grant meanwhile, and the unique keys decide; but none may keep a payment as unclaimed, or take it back,
    -- without a look at what is imported. (A lock for each payment, as theirs, would be too many.)
    lock table counterfoil.unclaimed_transactions, counterfoil.revocations in share row exclusive mode;

    create temporary table imported_entries on commit drop as
    select
        e.*,
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

    select coalesce(e.order_id, '?') into contradiction
    from pg_temp.imported_entries e
    left join counterfoil.grants g
        on g.bundle_id = import_grants.bundle_id and g.environment = import_grants.environment and g.grant_key = e.grant_key
    left join counterfoil.orders o on o.order_id = e.order_id
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
            coalesce(e.original_transaction_id, e.transaction_id), e.web_order_line_item_id, e.product_id,
            e.product_kind, coalesce(e.quantity, 1), e.purchased_at, e.expires_at, e.app_account_token, e.account_id
        from pg_temp.imported_entries e
        where not exists (select from counterfoil.grants g where g.order_id = e.order_id)
        order by e.grant_key
        returning id, order_id, transaction_id
    ), named as (
        insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
        select import_grants.bundle_id, import_grants.environment, g.transaction_id, g.id from granted g
    ), claimed as (
        delete from counterfoil.unclaimed_transactions u
        using granted g
        where u.bundle_id = import_grants.bundle_id and u.environment = import_grants.environment
            and u.transaction_id = g.transaction_id
    ), told as (
        insert into counterfoil.order_events (order_id, kind, who, why)
        select g.order_id, 'imported', session_user, 'granted before by another system' from granted g
    )
    select count(*) into imported from granted;

    update counterfoil.orders o
    set state = 'refunded', reason = 'refunded', updated_at = now()
    from pg_temp.imported_entries e
    join counterfoil.grants g on g.order_id = e.order_id
    where o.order_id = e.order_id and o.state = 'fulfilled'
        and exists (select from counterfoil.revoked_grants r where r.grant_id = g.id);

    drop table pg_temp.imported_entries;
    return imported;
end
$$;
comment on function counterfoil.import_grants(text, text, jsonb) is
    'Loads what another system granted, with its orders. Safe to repeat; returns how many grants were new.';
