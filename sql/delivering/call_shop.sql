-- Calls the shop's function for each entry, as counterfoil_delivery: a role that owns this function and may do nothing.
--
-- The shop's function has the rights of its owner (security definer) or of counterfoil_delivery, whoever's session it is.
-- PostgreSQL refuses to change the role within a security definer function. Deferred triggers on the shop's tables run here too. At
-- the commit, PostgreSQL 17 and earlier would run them with the session's rights. Without a function, only these triggers run.
--
-- A shop's function that runs as counterfoil_delivery may alter this one, but not replace its body: that needs a privilege on the
-- schema. So the body looks first whom it runs as, and relies on no search_path. The next migration puts right what was altered.

create or replace function counterfoil.call_shop(shops_function text, entries anyarray) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    if current_user operator(pg_catalog.<>) 'counterfoil_delivery'::pg_catalog.name then
        raise exception 'counterfoil.call_shop runs as %: run counterfoil migrate', current_user;
    end if;
    if shops_function is not null then
        -- As they were at the first call of this database transaction.
        set constraints all deferred;
        execute 'select ' operator(pg_catalog.||) shops_function operator(pg_catalog.||) '(e) from pg_catalog.unnest($1) as e'
        using entries;
    end if;
    set constraints all immediate;
end
$$;
comment on function counterfoil.call_shop(text, anyarray) is
    'Private: calls the shop''s function with the rights of counterfoil_delivery, which has none.';

-- A function is given to a role that may create in its schema.
grant create on schema counterfoil to counterfoil_delivery;
alter function counterfoil.call_shop(text, anyarray) owner to counterfoil_delivery;
revoke create on schema counterfoil from counterfoil_delivery;
grant execute on function counterfoil.call_shop(text, anyarray) to counterfoil_owner;
