-- All that an id names, by kind, the newest of each kind first: an order, a transaction, an original transaction, a billing event
-- (line item), an account, an app account token, a notification, a job. Each is an index look-up; of one kind 20 at most.

create or replace function counterfoil.find_anything(what text)
returns table (
    kind text, id text, state text, at timestamptz, order_id text, account_id text, product_id text, bundle_id text, environment text
)
language plpgsql stable security definer rows 10 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    -- Null where it can't be one: the look-up is left out.
    token uuid := case when what ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then what end;
    number bigint := case when what ~ '^[1-9][0-9]{0,17}$' then what end;
begin
    return query
    select 'order', o.order_id, o.state, o.created_at, o.order_id, o.account_id, o.product_id, o.bundle_id, o.environment
    from counterfoil.orders o
    where o.order_id = what;

    return query
    select
        case when s.transaction_id = what then 'transaction' else 'of this original' end, s.transaction_id, s.state, s.purchased_at,
        coalesce(
            (select o.order_id from counterfoil.orders o where o.number = s.paid_order_number),
            (select o.order_id from counterfoil.orders o where o.number = s.shown_by_number)),
        coalesce(s.paid_account_id, s.account_id), s.product_id, s.bundle_id, s.environment
    from (
        (
            select p.transaction_id, p.bundle_id, p.environment from counterfoil.payments p
            where p.transaction_id = what
            limit 20
        )
        union all
        (
            select p.transaction_id, p.bundle_id, p.environment from counterfoil.payments p
            where p.original_transaction_id = what and p.original_transaction_id <> p.transaction_id
            order by p.original_transaction_id desc, p.bundle_id desc, p.environment desc, p.purchased_at desc
            limit 20
        )
    ) f
    cross join lateral (
        select * from counterfoil.payment_states s
        where s.transaction_id = f.transaction_id and s.bundle_id = f.bundle_id and s.environment = f.environment
        offset 0
    ) s
    order by s.transaction_id <> what, s.purchased_at desc;

    return query
    select
        'line item', s.transaction_id, s.state, s.purchased_at,
        (select o.order_id from counterfoil.orders o where o.number = coalesce(s.paid_order_number, s.shown_by_number)),
        coalesce(s.paid_account_id, s.account_id), s.product_id, s.bundle_id, s.environment
    from (
        (
            select p.transaction_id, p.bundle_id, p.environment from counterfoil.payments p
            where p.web_order_line_item_id = what and p.original_transaction_id <> p.transaction_id
            limit 20
        )
        union
        -- A first purchase: granted, or not.
        (
            select p.transaction_id, p.bundle_id, p.environment from counterfoil.payments p
            where p.payment_key = 'web_order:' || what and p.granted_at is not null
            limit 20
        )
        union
        (
            select p.transaction_id, p.bundle_id, p.environment from counterfoil.payments p
            where p.web_order_line_item_id = what and p.original_transaction_id = p.transaction_id and p.reason is not null
            limit 20
        )
    ) f
    cross join lateral (
        select * from counterfoil.payment_states s
        where s.transaction_id = f.transaction_id and s.bundle_id = f.bundle_id and s.environment = f.environment
        offset 0
    ) s
    order by s.purchased_at desc;

    return query
    select 'account', o.account_id, null::text, o.created_at, o.order_id, o.account_id, o.product_id, o.bundle_id, o.environment
    from counterfoil.desk_orders(what, null, null, null, null, null, null, 1) o;
    if not found then
        return query
        select 'account', p.account_id, p.state, p.seen_at, null::text, p.account_id, p.product_id, p.bundle_id, p.environment
        from (
            select q.transaction_id, q.bundle_id, q.environment from counterfoil.payments q
            where q.account_id = what and q.reason is not null
            order by q.account_id desc, q.seen_at desc
            limit 1
        ) f
        cross join lateral (
            select * from counterfoil.payment_states s
            where s.transaction_id = f.transaction_id and s.bundle_id = f.bundle_id and s.environment = f.environment
            offset 0
        ) p;
    end if;

    if token is not null then
        return query
        select 'token', o.app_account_token::text, o.state, o.created_at, o.order_id, o.account_id, o.product_id, o.bundle_id, o.environment
        from (select * from counterfoil.orders o where o.app_account_token = token limit 1000) o
        order by o.created_at desc
        limit 20;

        return query
        select
            'token', s.transaction_id, s.state, s.purchased_at,
            (select o.order_id from counterfoil.orders o where o.number = coalesce(s.paid_order_number, s.shown_by_number)),
            coalesce(s.paid_account_id, s.account_id), s.product_id, s.bundle_id, s.environment
        from (
            select p.transaction_id, p.bundle_id, p.environment from counterfoil.payments p
            where p.app_account_token = token and p.reason is not null
            limit 20
        ) f
        cross join lateral (
            select * from counterfoil.payment_states s
            where s.transaction_id = f.transaction_id and s.bundle_id = f.bundle_id and s.environment = f.environment
            offset 0
        ) s
        order by s.purchased_at desc;

        return query
        select
            'notification', n.notification_uuid::text, concat_ws(' ', n.type, n.subtype), n.received_at,
            n.order_id, null::text, n.transaction_id, n.bundle_id, n.environment
        from counterfoil.notifications n
        where n.notification_uuid = token
        order by n.received_at desc
        limit 20;
    end if;

    return query
    select
        'notified of', n.notification_uuid::text, concat_ws(' ', n.type, n.subtype), n.received_at,
        n.order_id, null::text, n.transaction_id, n.bundle_id, n.environment
    from (
        select * from counterfoil.notifications n
        where n.transaction_id = what
        order by n.received_at desc
        limit 20
    ) n;

    if number is not null then
        return query
        select 'job', j.id::text, j.state, j.created_at, j.order_id, j.account_id, null::text, g.bundle_id, g.environment
        from counterfoil.jobs j
        left join counterfoil.gates g on g.lane = j.lane
        where j.id = number;

        return query
        select 'kept proof', p.job_id::text, p.reason, p.kept_at, p.order_id, p.account_id, null::text, null::text, null::text
        from counterfoil.proofs p
        where p.job_id = number and not exists (select from counterfoil.jobs j where j.id = number);
    end if;
end
$$;
comment on function counterfoil.find_anything(text) is 'Private: all that an id names, by kind.';
grant execute on function counterfoil.find_anything(text) to counterfoil_worker, counterfoil_support, counterfoil_reader;
