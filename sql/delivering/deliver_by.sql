-- Makes a function of the shop's the one that delivers: called once for each new grant, in its database transaction, with a
-- counterfoil.delivery. Imported grants were delivered before, and don't call it.
--
-- Called again it replaces the function; null takes it away. For who owns the schema. The function never has the rights of who
-- settles: call_shop.

create or replace function counterfoil.deliver_by(shops_function text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = warning
as $$
declare
    called constant text := counterfoil.find_shops_function(shops_function, 'counterfoil.delivery');
    event text;
begin
    foreach event in array array['insert', 'update'] loop
        execute format('drop trigger if exists deliver_by_%s on counterfoil.payments', event);
        if called is not null then
            execute format(
                'create trigger deliver_by_%1$s after %1$s on counterfoil.payments referencing new table as granted '
                'for each statement execute function counterfoil.deliver_grants(%2$L)', event, called);
        end if;
    end loop;
end
$$;
comment on function counterfoil.deliver_by(text) is
    'Names the shop''s function that delivers each new grant, in its database transaction; null: none.';
