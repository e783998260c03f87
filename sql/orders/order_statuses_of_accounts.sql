-- The rows of order_status of orders of many accounts, each beside its account at the same place, in no order: for whoever polls
-- for many clients in one statement. Unknown orders and those of other accounts give none.
--
-- Reasons and idioms are those of order_statuses_of.

create or replace function counterfoil.order_statuses_of_accounts(order_ids text[], account_ids text[])
returns setof counterfoil.order_status
language plpgsql stable rows 100 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    select s.*
    from (
        select distinct u.id, (select k.account_id from counterfoil.account_asked(u.account_id) k) as account_id
        from unnest(order_statuses_of_accounts.order_ids, order_statuses_of_accounts.account_ids) u (id, account_id)
    ) a
    cross join lateral (select w.* from counterfoil.order_status w where w.order_id = a.id offset 0) s
    where s.account_id = a.account_id;
end
$$;
comment on function counterfoil.order_statuses_of_accounts(text[], text[]) is
    'Where orders of many accounts are, each with its account at the same place. Unknown orders and those of others give no row.';

grant execute on function counterfoil.order_statuses_of_accounts(text[], text[])
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
