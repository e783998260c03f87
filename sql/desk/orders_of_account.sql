-- Private: the orders of an account, with those of accounts that were moved to it and those that were transferred to it; of a moved
-- account those that it made. The oldest first, a page.
create or replace function counterfoil.orders_of_account(
    of_account text, most integer default null, after_number bigint default 0
) returns table (order_id text, number bigint, state text)
language plpgsql stable security definer rows 100 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    select f.order_id, f.number, f.state
    from (select k.account_id from counterfoil.accounts_of(of_account) k union select of_account) k
    cross join lateral (
        select o.order_id, o.number, o.state
        from counterfoil.orders o
        where o.account_id = k.account_id
            and (select true from counterfoil.moved_orders m where m.order_number = o.number) is null
        union all
        select o.order_id, o.number, o.state
        from counterfoil.moved_orders m
        cross join lateral (select * from counterfoil.orders o where o.number = m.order_number offset 0) o
        where m.account_id = k.account_id
    ) f
    where f.number > after_number
    order by f.number
    limit most;
end
$$;
comment on function counterfoil.orders_of_account(text, integer, bigint) is 'Private: the orders of an account, the oldest first.';
grant execute on function counterfoil.orders_of_account(text, integer, bigint) to counterfoil_support;
