-- The quoted name of the function of the shop's that takes an entry; null for null. Raises an error where it can't be called.

create or replace function counterfoil.find_shops_function(shops_function text, entry regtype) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    signature text := format('%s(%s)', shops_function, entry);
    named record;
begin
    if shops_function is null then
        return null;
    end if;
    select p.oid, p.pronamespace, p.prokind, p.proretset, p.prorettype, format('%I.%I', n.nspname, p.proname) as name, n.nspname
    into named
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where p.oid = to_regprocedure(signature);
    if not found or named.prokind <> 'f' or named.proretset or named.prorettype <> 'void'::regtype then
        raise exception 'there is no function % that returns void', signature
            using errcode = 'undefined_function', hint = 'Give its name with its schema, without arguments.';
    end if;
    if not has_schema_privilege('counterfoil_delivery', named.pronamespace, 'usage')
        or not has_function_privilege('counterfoil_delivery', named.oid, 'execute') then
        raise exception 'counterfoil_delivery may not call %', signature
            using errcode = 'insufficient_privilege',
                hint = format(
                    'grant usage on schema %I to counterfoil_delivery; grant execute on function %s to counterfoil_delivery',
                    named.nspname, signature);
    end if;
    return named.name;
end
$$;
comment on function counterfoil.find_shops_function(text, regtype) is
    'Private: the function of the shop''s of that name, as it is called.';
