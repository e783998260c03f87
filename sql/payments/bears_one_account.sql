-- Whether all orders that bear a token are of one account now, although they were written with several. Part of account_of_token,
-- which asks only where the smallest and the largest of these accounts are one now. A look-up for each account, up to the first
-- that isn't. Idiom: generic plan.
create or replace function counterfoil.bears_one_account(of_bundle text, token uuid, smallest text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set jit = off
as $$
declare
    last text := smallest;
    account text;
begin
    select n.account_id into account from counterfoil.account_now(smallest) n;
    loop
        select o.account_id into last
        from counterfoil.orders o
        where o.app_account_token = bears_one_account.token and o.bundle_id = of_bundle and o.account_id > last
        order by o.account_id
        limit 1;
        if not found then
            return true;
        elsif (select n.account_id from counterfoil.account_now(last) n) <> account then
            return false;
        end if;
    end loop;
end
$$;
comment on function counterfoil.bears_one_account(text, uuid, text) is
    'Private: whether all orders that bear a token are of one account now.';
grant execute on function counterfoil.bears_one_account(text, uuid, text) to counterfoil_worker, counterfoil_support;
