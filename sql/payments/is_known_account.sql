-- Whether an order, a payment or an access of an account is known, by any of its accounts. Idiom: generic plan.
create or replace function counterfoil.is_known_account(of_account text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
    return exists (
        select
        from (select k.account_id from counterfoil.accounts_of(of_account) k union select of_account) k
        where exists (select from counterfoil.orders o where o.account_id = k.account_id)
            or exists (select from counterfoil.moved_orders m where m.account_id = k.account_id)
            or exists (select from counterfoil.payments p where p.account_id = k.account_id and p.reason is not null)
            or exists (select from counterfoil.accesses a where a.account_id = k.account_id)
    );
end
$$;
comment on function counterfoil.is_known_account(text) is 'Private: whether anything of an account is known.';
grant execute on function counterfoil.is_known_account(text) to counterfoil_worker, counterfoil_support;
