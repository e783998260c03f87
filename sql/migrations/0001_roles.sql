-- The six roles, the schema, and the table of migrations.
--
-- All from the line "-- repeated" to the line "-- once" belongs to the server, or may be lost in a restore: each run of the
-- migrator repeats it.
--
-- Runs as the role that migrates: a superuser, or a role that may create roles and create schemas in this database.
-- Roles belong to the whole server, so another database of the server may have made them already.

-- First, because its name is the lock of the first migration: there is no table yet that could be locked, and a schema can only be
-- made by who may. A second migrator waits here, and then finds the schema made.
create schema counterfoil;

-- repeated

do $$
declare
    name text;
begin
    foreach name in array array[
        'counterfoil_owner', 'counterfoil_backend', 'counterfoil_worker', 'counterfoil_support', 'counterfoil_reader',
        'counterfoil_gateway'
    ]
    loop
        begin
            if not exists (select from pg_catalog.pg_roles where rolname = name) then
                execute format('create role %I %s', name, case when name = 'counterfoil_owner' then 'nologin' else 'login' end);
            end if;
        exception when duplicate_object or unique_violation then
            null; -- a migration of another database made it meanwhile
        end;
    end loop;
    -- From PostgreSQL 16 on, a member may be one who can't act as the role.
    if not pg_has_role(
        'counterfoil_owner', case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end
    ) then
        execute format('grant counterfoil_owner to %I', current_user);
    end if;
end
$$;

-- The function snapshot_holders runs as the owner, and sees the sessions of all roles, without the text of their queries.
-- Where the migrating role may not grant this, health misses sessions of other roles until a superuser grants it.
do $$
begin
    if not pg_has_role('counterfoil_owner', 'pg_monitor', 'member') then
        grant pg_monitor to counterfoil_owner;
    end if;
exception when insufficient_privilege then
    raise warning 'pg_monitor could not be granted to counterfoil_owner: health sees no sessions of other roles';
end
$$;

-- Whoever migrates acts as the owner, and may end a reader's session thereby (end_readers).
do $$
begin
    if not pg_has_role('counterfoil_owner', 'counterfoil_reader', 'member') then
        grant counterfoil_reader to counterfoil_owner;
    end if;
exception when insufficient_privilege then
    raise warning 'counterfoil_reader could not be granted to counterfoil_owner: only a superuser may end its sessions';
end
$$;

-- The gateway does for a shop what a backend does, and has a backend's rights.
do $$
begin
    if not pg_has_role('counterfoil_gateway', 'counterfoil_backend', 'member') then
        grant counterfoil_backend to counterfoil_gateway;
    end if;
exception when insufficient_privilege then
    raise warning 'counterfoil_backend could not be granted to counterfoil_gateway: a gateway has no rights';
end
$$;

-- once

alter schema counterfoil owner to counterfoil_owner;

set local role counterfoil_owner;

grant usage on schema counterfoil
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader, counterfoil_gateway;

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
grant select on counterfoil.migrations to counterfoil_worker, counterfoil_support, counterfoil_reader, counterfoil_gateway;

-- The migrator writes it, after it has granted all of them. Serves privilege_differences.
create table counterfoil.privileges (
    -- As a grant names it: table counterfoil.jobs, function counterfoil.roll_up().
    object text collate "C" not null,
    -- '' where it is the whole object.
    column_name text collate "C" not null,
    role text collate "C" not null,
    privilege text collate "C" not null,
    primary key (object, role, privilege, column_name)
);
comment on table counterfoil.privileges is 'What the last migration granted to our roles.';
grant select on counterfoil.privileges to counterfoil_worker, counterfoil_support, counterfoil_reader;

-- The migrator writes it, after it has made all of them. Serves find_definition_differences.
create table counterfoil.definitions (
    -- Of the file, and of the routine or view that it makes.
    name text collate "C" primary key,
    -- SHA-256 of the file's text.
    text_checksum text not null,
    -- These two as definitions_held computes them.
    checksum text not null,
    written_by text
);
comment on table counterfoil.definitions is 'The routines and views that the last migration made, a row each.';
grant select on counterfoil.definitions to counterfoil_worker, counterfoil_support;

create table counterfoil.index_makers (
    one_row boolean primary key default true constraint one_session_makes_indexes check (one_row),
    pid integer not null,
    -- When the session began: process ids come again.
    started_at timestamptz not null
);
comment on table counterfoil.index_makers is
    'The session that makes indexes concurrently, outside of any database transaction; it counts while that session lives.';
