-- For a client that lost its order id: a page, oldest first.
--
-- Idiom: lateral look-up, so that order_status is read for the page's orders alone.

create or replace function counterfoil.open_orders(
    account_id text, product_id text, at_most integer default 100, after_order_id text default null
) returns setof counterfoil.order_status
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    -- Idiom: generic plan, also in the sessions of backends.
    set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
    after_time timestamptz := '-infinity';
    after_number bigint := 0;
    account constant text := (select k.account_id from counterfoil.account_asked(open_orders.account_id) k);
begin
    if (open_orders.at_most between 1 and 1000) is not true then
        perform counterfoil.refuse('page_has_1_to_1000_orders');
    end if;
    if open_orders.after_order_id is not null then
        select o.created_at, o.number into after_time, after_number
        from counterfoil.orders o
        cross join lateral counterfoil.account_now(o.account_id, o.number) n
        where o.order_id = open_orders.after_order_id and n.account_id = account;
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
            select w.order_id, w.created_at, w.number
            from counterfoil.orders w
            where w.account_id = k.account_id and w.product_id = open_orders.product_id
                and counterfoil.waits_for_payment(w.state) and (w.created_at, w.number) > (after_time, after_number)
            order by w.created_at, w.number
            limit open_orders.at_most
        ) f
        order by f.created_at, f.number
        limit open_orders.at_most
    ) o
    cross join lateral (select r.* from counterfoil.order_status r where r.order_id = o.order_id offset 0) s
    order by o.created_at, o.number;
end
$$;
comment on function counterfoil.open_orders(text, text, integer, text) is
    'The orders of an account and product that can still be paid, oldest first, a page, with what the client should do.';

grant execute on function counterfoil.open_orders(text, text, integer, text) to counterfoil_backend, counterfoil_support;
