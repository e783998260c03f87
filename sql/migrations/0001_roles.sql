-- The four roles, the schema, and the table of migrations.
--
-- Runs as the role that migrates: a superuser, or a role that may create roles and create schemas in this database.
-- Roles belong to the whole server, so another database of the server may have made them already.

do $$
declare
    name text;
begin
    foreach name in array array['counterfoil_owner', 'counterfoil_backend', 'counterfoil_worker', 'counterfoil_reader']
    loop
        begin
            if not exists (select from pg_catalog.pg_roles where rolname = name) then
                execute format('create role %I %s', name, case name when 'counterfoil_owner' then 'nologin' else 'login' end);
            end if;
        exception when duplicate_object or unique_violation then
            null; -- a migration of another database made it meanwhile
        end;
    end loop;
    if not pg_has_role(current_user, 'counterfoil_owner', 'member') then
        execute format('grant counterfoil_owner to %I', current_user);
    end if;
end
$$;

-- The function snapshot_holders runs as the owner, and sees the sessions of all roles, without the text of their queries.
-- Where the migrating role may not grant this, health misses sessions of other roles until a superuser grants it.
do $$
begin
    grant pg_monitor to counterfoil_owner;
exception when insufficient_privilege then
    raise warning 'pg_monitor could not be granted to counterfoil_owner: health sees no sessions of other roles';
end
$$;

create schema counterfoil authorization counterfoil_owner;

set local role counterfoil_owner;

grant usage on schema counterfoil to counterfoil_backend, counterfoil_worker, counterfoil_reader;

-- A role may call only the functions that are granted to it.
alter default privileges in schema counterfoil revoke execute on functions from public;
alter default privileges revoke execute on functions from public;

create table counterfoil.migrations (
    id integer primary key,
    name text not null,
    -- SHA-256 of the file's text.
    checksum text not null,
    -- Older workers must not run beside it.
    breaking boolean not null,
    applied_at timestamptz not null default now()
);
comment on table counterfoil.migrations is 'One row a migration that this database has had.';
grant select on counterfoil.migrations to counterfoil_worker, counterfoil_reader;
