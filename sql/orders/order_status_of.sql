-- The row of order_status of one order of an account: what a backend polls. An order of another account gives no row, as an
-- unknown one.
--
-- Planning order_status costs twenty times what reading it does. A session plans this function's statement once, in its first
-- call, whatever driver, protocol or pooler calls it. It has the rights of its caller, and writes nothing, so that a standby
-- answers too.
--
-- Idioms: generic plan, also in the sessions of backends; offset 0, so that the order is looked up by its id alone: an account
-- may have any number.

create or replace function counterfoil.order_status_of(order_id text, account_id text) returns setof counterfoil.order_status
language plpgsql stable rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    select s.*
    from (select w.* from counterfoil.order_status w where w.order_id = order_status_of.order_id offset 0) s
    where s.account_id = (select k.account_id from counterfoil.account_asked(order_status_of.account_id) k);
end
$$;
comment on function counterfoil.order_status_of(text, text) is
    'Where an order of the account is, as a row of order_status. Poll it. An unknown order and one of another account give no row.';

grant execute on function counterfoil.order_status_of(text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
