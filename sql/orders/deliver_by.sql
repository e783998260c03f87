-- Makes a function of the shop's the one that delivers: a trigger function, called once for each new grant, in its database
-- transaction, with the payment's row as NEW. Imported grants were delivered before, and don't call it.
--
-- Called again it replaces the function; null takes it away. For who owns the schema: the function runs with a worker's rights.

create or replace function counterfoil.deliver_by(trigger_function regproc) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = warning
as $$
begin
    drop trigger if exists deliver on counterfoil.payments;
    if trigger_function is not null then
        execute format(
            'create trigger deliver after insert or update of order_id on counterfoil.payments for each row '
            'when (new.order_id is not null and current_setting(''counterfoil.importing'', true) is distinct from ''on'') '
            'execute function %s()', trigger_function);
    end if;
end
$$;
comment on function counterfoil.deliver_by(regproc) is
    'Names the trigger function that delivers each new grant, in its database transaction; null: none.';
revoke execute on function counterfoil.deliver_by(regproc) from public;
