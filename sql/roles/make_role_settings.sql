-- Private: makes the settings of role_settings that are missing or differ, with the rights of whoever calls it. Returns the roles
-- that the caller may not alter, or that don't exist. What a superuser alone may set is left as it is to others.

create or replace function counterfoil.make_role_settings() returns table (refused text)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    wanted record;
    refusals text[] = '{}';
begin
    for wanted in
        select s.role, s.setting, string_agg(quote_literal(v.value), ', ' order by v.position) as value
        from counterfoil.role_settings s
        -- A list must not become one name.
        cross join unnest(string_to_array(s.value, ', ')) with ordinality as v (value, position)
        where s.found is distinct from s.value
        group by s.role, s.setting
        order by s.role, s.setting
    loop
        continue when wanted.role = any (refusals);
        begin
            execute format(
                'alter role %I in database %I set %I = %s', wanted.role, current_database(), wanted.setting, wanted.value);
        exception when insufficient_privilege or undefined_object then
            -- Whoever may alter the role may not set all: doctor says so.
            if wanted.setting <> 'log_parameter_max_length' then
                refusals = refusals || wanted.role;
            end if;
        end;
    end loop;
    return query select unnest(refusals);
end
$$;
comment on function counterfoil.make_role_settings() is
    'Private: makes the settings of our roles in this database that are missing or differ.';
