-- The orders of an account, newest first, a page. The next page begins before the last order of the one before: its id stays valid.
--
-- A filter that fits few of the account's orders reads past the others: each settlement would have to write an index with the
-- state.
--
-- Idioms: generic plan, also in the sessions of backends; lateral look-up; the index's own expression.

create or replace function counterfoil.orders_of(
    account_id text, at_most integer default 100, before_order_id text default null, state text default null,
    product_id text default null, payable boolean default false, bundle_ids text[] default null
) returns setof counterfoil.order_status
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
    before_time timestamptz := 'infinity';
    before_number bigint := 0;
    account constant text := (select k.account_id from counterfoil.account_asked(orders_of.account_id) k);
begin
    if (orders_of.at_most between 1 and 1000) is not true then
        perform counterfoil.refuse('page_has_1_to_1000_orders');
    end if;
    if orders_of.before_order_id is not null then
        select o.created_at, o.number into before_time, before_number
        from counterfoil.orders o
        cross join lateral counterfoil.account_now(o.account_id, o.number) n
        where o.order_id = orders_of.before_order_id and n.account_id = account;
        if not found then
            perform counterfoil.refuse('page_begins_at_an_order_of_the_account');
        end if;
    end if;
    return query
    select s.*
    from (
        select f.order_id, f.created_at, f.number
        from counterfoil.accounts_of(account) k
        cross join lateral (
            (
                select w.order_id, w.created_at, w.number
                from counterfoil.orders w
                where w.account_id || '' = k.account_id and (w.created_at, w.number) < (before_time, before_number)
                    and (orders_of.state is null or w.state = orders_of.state)
                    and (orders_of.product_id is null or w.product_id = orders_of.product_id)
                    and (orders_of.payable is not true or counterfoil.waits_for_payment(w.state))
                    and (orders_of.bundle_ids is null or w.bundle_id = any (orders_of.bundle_ids))
                    and coalesce((select false from counterfoil.moved_orders m where m.order_number = w.number), true)
                order by w.created_at desc, w.number desc
                limit orders_of.at_most
            )
            union all
            -- Transferred to it.
            select w.order_id, w.created_at, w.number
            from counterfoil.moved_orders m
            cross join lateral (select * from counterfoil.orders w where w.number = m.order_number offset 0) w
            where m.account_id = k.account_id and (w.created_at, w.number) < (before_time, before_number)
                and (orders_of.state is null or w.state = orders_of.state)
                and (orders_of.product_id is null or w.product_id = orders_of.product_id)
                and (orders_of.payable is not true or counterfoil.waits_for_payment(w.state))
                and (orders_of.bundle_ids is null or w.bundle_id = any (orders_of.bundle_ids))
        ) f
        order by f.created_at desc, f.number desc
        limit orders_of.at_most
    ) o
    cross join lateral (select r.* from counterfoil.order_status r where r.order_id = o.order_id offset 0) s
    order by o.created_at desc, o.number desc;
end
$$;
comment on function counterfoil.orders_of(text, integer, text, text, text, boolean, text[]) is
    'The orders of an account, newest first, a page, as rows of order_status.';

grant execute on function counterfoil.orders_of(text, integer, text, text, text, boolean, text[])
    to counterfoil_backend, counterfoil_support;
