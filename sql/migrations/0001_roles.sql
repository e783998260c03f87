-- Roles, the schema and the book of migrations.
--
-- Runs as the role that migrates: a superuser, or a role that may create roles and create schemas in this database.
-- Roles belong to the whole server; another database of it may have made them already.

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
            null; -- made meanwhile by a migration of another database
        end;
    end loop;
    if not pg_has_role(current_user, 'counterfoil_owner', 'member') then
        execute format('grant counterfoil_owner to %I', current_user);
    end if;
end
$$;

-- Settings stand on the roles, not in start-up options: they hold through PgBouncer as well.
do $$
declare
    setting text;
begin
    foreach setting in array array[
        'counterfoil_worker in database %1$I set statement_timeout = ''30s''',
        'counterfoil_worker in database %1$I set lock_timeout = ''5s''',
        'counterfoil_worker in database %1$I set idle_in_transaction_session_timeout = ''30s''',
        'counterfoil_worker in database %1$I set plan_cache_mode = force_generic_plan',
        'counterfoil_worker in database %1$I set jit = off',
        -- A lane that the statistics take for short is scanned in order all the same, never gathered and sorted.
        'counterfoil_worker in database %1$I set enable_bitmapscan = off',
        -- A settlement looks at the ledger again after its locks: each statement needs a snapshot of its own.
        'counterfoil_worker in database %1$I set default_transaction_isolation = ''read committed''',
        'counterfoil_reader in database %1$I set statement_timeout = ''5s''',
        'counterfoil_reader in database %1$I set idle_in_transaction_session_timeout = ''10s''',
        'counterfoil_reader in database %1$I set default_transaction_read_only = on'
    ]
    loop
        execute format('alter role ' || setting, current_database());
    end loop;
end
$$;

create schema counterfoil authorization counterfoil_owner;

set local role counterfoil_owner;

grant usage on schema counterfoil to counterfoil_backend, counterfoil_worker, counterfoil_reader;

-- Functions are called by those who are granted them.
alter default privileges in schema counterfoil revoke execute on functions from public;
alter default privileges revoke execute on functions from public;

create table counterfoil.migrations (
    id integer primary key,
    name text not null,
    checksum text not null,
    -- Older workers must not run beside it.
    breaking boolean not null,
    applied_at timestamptz not null default now()
);
comment on table counterfoil.migrations is 'One row a migration that this database has had.';

grant select on counterfoil.migrations to counterfoil_worker, counterfoil_reader;
