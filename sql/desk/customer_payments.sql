-- Private: payments of an account, the latest first: those of its newest orders, those that they showed, and those that nothing
-- was granted for. It looks at 200 orders and 200 payments that weren't granted, however many the account has.

create or replace function counterfoil.customer_payments(of_account text, most integer)
returns table (
    transaction_id text, state text, purchased_at timestamptz, product_id text, quantity integer, order_id text, refunded_share numeric,
    refunded_at timestamptz, reason text, expires_at timestamptz, original_transaction_id text, bundle_id text, environment text
)
language plpgsql stable security definer rows 50 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    account constant text := (select n.account_id from counterfoil.account_now(of_account) n);
begin
    return query
    select
        s.transaction_id, s.state, s.purchased_at, s.product_id, s.quantity,
        (select o.order_id from counterfoil.orders o where o.number = coalesce(s.paid_order_number, s.shown_by_number)),
        trim_scale(s.refunded_share / 1000.0), s.refunded_at, s.reason, s.expires_at, s.original_transaction_id, s.bundle_id,
        s.environment
    from (
        select f.transaction_id, f.bundle_id, f.environment, f.purchased_at
        from (
            select p.transaction_id, p.bundle_id, p.environment, p.purchased_at
            from counterfoil.desk_orders(of_account, null, null, null, null, null, null, 200) d
            cross join lateral (select o.number from counterfoil.orders o where o.order_id = d.order_id offset 0) o
            cross join lateral (
                (select * from counterfoil.payments g where g.order_number = o.number)
                union all
                (
                    select * from counterfoil.payments u where u.shown_by_number = o.number and u.reason is not null
                    limit 20
                )
                offset 0
            ) p
            union
            -- Periods that follow a transfer.
            select w.transaction_id, w.bundle_id, w.environment, w.purchased_at
            from (select k.account_id from counterfoil.accounts_of(of_account) k union select of_account) k
            join counterfoil.moved_orders m on m.account_id = k.account_id
            cross join lateral (
                select u.transaction_id, u.bundle_id, u.environment, u.purchased_at from counterfoil.payments u
                where u.original_transaction_id = m.original_transaction_id and u.bundle_id = m.bundle_id
                    and u.environment = m.environment and u.original_transaction_id <> u.transaction_id
                    and u.purchased_at > m.purchased_at and u.reason is not null
                order by u.purchased_at desc
                limit 20
            ) w
            union
            select w.transaction_id, w.bundle_id, w.environment, w.purchased_at
            from (select k.account_id from counterfoil.accounts_of(of_account) k union select of_account) k
            cross join lateral (
                select u.transaction_id, u.bundle_id, u.environment, u.purchased_at from counterfoil.payments u
                where u.account_id = k.account_id and u.reason is not null
                order by u.account_id desc, u.seen_at desc
                limit 200
            ) w
        ) f
        order by f.purchased_at desc, f.transaction_id desc
        limit most
    ) f
    cross join lateral (
        select * from counterfoil.payment_states s
        where s.transaction_id = f.transaction_id and s.bundle_id = f.bundle_id and s.environment = f.environment
        offset 0
    ) s
    -- A renewal of a subscription that was transferred is another account's.
    where s.state <> 'renewal' or coalesce(s.paid_account_id, s.account_id) = account
    order by s.purchased_at desc, s.transaction_id desc;
end
$$;
comment on function counterfoil.customer_payments(text, integer) is 'Private: payments of an account, the latest first.';
grant execute on function counterfoil.customer_payments(text, integer) to counterfoil_worker, counterfoil_support, counterfoil_reader;
