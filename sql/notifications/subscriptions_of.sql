-- The subscriptions of an account, and what somebody else paid for and it has: rows of subscription_status, those with access
-- first. It finds them by the account's 1,000 newest orders, by their tokens, and by what the account showed; each row is that of
-- subscription_status_of. A subscription that belongs to nobody yet has no row.
--
-- Idioms: generic plan, also in the sessions of backends; lateral look-up; the index's own expression, as orders_of has it.

create or replace function counterfoil.subscriptions_of(account_id text, bundle_id text default null)
returns setof counterfoil.subscription_status
language plpgsql stable security definer rows 5 set search_path = pg_catalog, pg_temp
    set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
begin
    return query
    with recent as materialized (
        select w.number, w.app_account_token
        from counterfoil.orders w
        where w.account_id || '' = subscriptions_of.account_id
            and (subscriptions_of.bundle_id is null or w.bundle_id = subscriptions_of.bundle_id)
        order by w.created_at desc, w.number desc
        limit 1000
    ), found as (
        select p.bundle_id, p.environment, p.original_transaction_id
        from recent o
        cross join lateral (select * from counterfoil.payments g where g.order_number = o.number offset 0) p
        where p.product_kind = 'auto_renewable'
        union
        (
            select p.bundle_id, p.environment, p.original_transaction_id
            from (
                select * from counterfoil.payments u
                where u.account_id = subscriptions_of.account_id and u.reason is not null
                order by u.account_id desc, u.seen_at desc
                limit 1000
            ) p
            where p.product_kind = 'auto_renewable'
        )
        union
        select p.bundle_id, p.environment, p.original_transaction_id
        from (select distinct o.app_account_token from recent o where o.app_account_token is not null) t
        cross join lateral (
            select * from counterfoil.payments u
            where u.app_account_token = t.app_account_token and u.reason is not null
            limit 1000
        ) p
        where p.product_kind = 'auto_renewable'
        union
        -- By the account's own transaction: others may have the same original.
        (
            select distinct on (a.original_transaction_id, a.bundle_id, a.environment)
                a.bundle_id, a.environment, a.transaction_id
            from counterfoil.accesses a
            where a.account_id = subscriptions_of.account_id
            order by a.original_transaction_id, a.bundle_id, a.environment, a.purchased_at desc
        )
    )
    select s.*
    from found f
    cross join lateral counterfoil.subscription_status_of(
        f.bundle_id, f.environment, f.original_transaction_id, subscriptions_of.account_id) s
    where s.account_id = subscriptions_of.account_id
        and (subscriptions_of.bundle_id is null or s.bundle_id = subscriptions_of.bundle_id)
    order by s.access_until desc nulls last, s.original_transaction_id, s.environment;
end
$$;
comment on function counterfoil.subscriptions_of(text, text) is
    'The subscriptions of an account, as rows of subscription_status, those with access first.';

grant execute on function counterfoil.subscriptions_of(text, text)
    to counterfoil_backend, counterfoil_support;
