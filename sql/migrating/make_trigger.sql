-- Makes a trigger, unless it stands as this program has it. "create or replace trigger" locks its table until the migration ends,
-- and nobody sells meanwhile. The definition is kept as the trigger's comment. A deferrable one is a constraint trigger.

create or replace function counterfoil.make_trigger(of_table text, name text, definition text) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    if not exists (
        select from pg_trigger t
        where t.tgrelid = make_trigger.of_table::regclass and t.tgname = make_trigger.name and t.tgenabled = 'O'
            and obj_description(t.oid, 'pg_trigger') = make_trigger.definition
    ) then
        if definition like '%deferrable%' then
            execute format('drop trigger if exists %I on %s', name, of_table);
            execute format('create constraint trigger %I %s', name, definition);
        else
            execute format('create or replace trigger %I %s', name, definition);
        end if;
        execute format('comment on trigger %I on %s is %L', name, of_table, definition);
    end if;
end
$$;
comment on function counterfoil.make_trigger(text, text, text) is 'Private: makes a trigger, unless it stands.';
