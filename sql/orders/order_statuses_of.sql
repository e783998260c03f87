-- The rows of order_status of several orders of an account, one an order, in no order. Unknown orders and those of other
-- accounts give none.
--
-- Reasons and idioms are those of order_status_of; lateral look-up: each order by its id.

create or replace function counterfoil.order_statuses_of(order_ids text[], account_id text) returns setof counterfoil.order_status
language plpgsql stable rows 10 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    select s.*
    from (select distinct u.id from unnest(order_statuses_of.order_ids) u (id)) a
    cross join lateral (select w.* from counterfoil.order_status w where w.order_id = a.id offset 0) s
    where s.account_id = (select k.account_id from counterfoil.account_asked(order_statuses_of.account_id) k);
end
$$;
comment on function counterfoil.order_statuses_of(text[], text) is
    'Where several orders of the account are, as rows of order_status. Unknown orders and those of other accounts give no row.';

grant execute on function counterfoil.order_statuses_of(text[], text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
