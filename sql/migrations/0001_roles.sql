-- The six roles, their settings, the schema, and the table of migrations.
--
-- Runs as the role that migrates: a superuser, or a role that may create roles and create schemas in this database.
-- Roles belong to the whole server, so another database of the server may have made them already.

do $$
declare
    name text;
begin
    foreach name in array array[
        'counterfoil_owner', 'counterfoil_delivery', 'counterfoil_backend', 'counterfoil_worker', 'counterfoil_support',
        'counterfoil_reader'
    ]
    loop
        begin
            if not exists (select from pg_catalog.pg_roles where rolname = name) then
                execute format(
                    'create role %I %s', name,
                    case when name in ('counterfoil_owner', 'counterfoil_delivery') then 'nologin' else 'login' end);
            end if;
        exception when duplicate_object or unique_violation then
            null; -- a migration of another database made it meanwhile
        end;
    end loop;
    if not pg_has_role(current_user, 'counterfoil_owner', 'member') then
        execute format('grant counterfoil_owner to %I', current_user);
    end if;
    -- What runs as counterfoil_delivery is made by the owner.
    if not pg_has_role('counterfoil_owner', 'counterfoil_delivery', 'member') then
        grant counterfoil_delivery to counterfoil_owner;
    end if;
end
$$;

-- Settings belong to the roles, not to start-up options, so that they hold through PgBouncer too.
do $$
declare
    setting text;
begin
    foreach setting in array array[
        'counterfoil_worker in database %1$I set statement_timeout = ''30s''',
        'counterfoil_worker in database %1$I set lock_timeout = ''5s''',
        -- A settlement that falls silent, because its worker froze or the network lost its statements, holds its orders' rows.
        -- It ends after 10 s, which is no longer than the shortest lease: then other workers take its jobs over. A healthy
        -- settlement sends its next statement within milliseconds.
        'counterfoil_worker in database %1$I set idle_in_transaction_session_timeout = ''10s''',
        -- These four are the idiom "generic plan" of sql/README.md.
        'counterfoil_worker in database %1$I set plan_cache_mode = force_generic_plan',
        'counterfoil_worker in database %1$I set jit = off',
        'counterfoil_worker in database %1$I set enable_bitmapscan = off',
        'counterfoil_worker in database %1$I set enable_seqscan = off',
        -- A settlement reads the ledger again after it has its locks, so each statement needs a snapshot of its own.
        'counterfoil_worker in database %1$I set default_transaction_isolation = ''read committed''',
        -- An act by hand that hangs holds rows that settlements need.
        'counterfoil_support in database %1$I set statement_timeout = ''60s''',
        'counterfoil_support in database %1$I set lock_timeout = ''5s''',
        'counterfoil_support in database %1$I set idle_in_transaction_session_timeout = ''10s''',
        'counterfoil_support in database %1$I set default_transaction_isolation = ''read committed''',
        -- A backend's database transaction that hangs holds its orders, and keeps vacuum off the queue.
        'counterfoil_backend in database %1$I set statement_timeout = ''30s''',
        'counterfoil_backend in database %1$I set lock_timeout = ''10s''',
        'counterfoil_backend in database %1$I set idle_in_transaction_session_timeout = ''60s''',
        -- A dashboard waits for nobody, takes one processor at most, and changes nothing.
        'counterfoil_reader in database %1$I set statement_timeout = ''5s''',
        'counterfoil_reader in database %1$I set lock_timeout = ''1s''',
        'counterfoil_reader in database %1$I set idle_in_transaction_session_timeout = ''10s''',
        'counterfoil_reader in database %1$I set default_transaction_read_only = on',
        'counterfoil_reader in database %1$I set max_parallel_workers_per_gather = 0',
        'counterfoil_reader in database %1$I set jit = off',
        -- suspicious_accounts groups a week's accounts in memory. With the default of 4 MB it sorts them on disk.
        'counterfoil_reader in database %1$I set work_mem = ''16MB'''
    ]
    loop
        execute format('alter role ' || setting, current_database());
    end loop;
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

grant usage on schema counterfoil
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader, counterfoil_delivery;

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
grant select on counterfoil.migrations to counterfoil_worker, counterfoil_support, counterfoil_reader;
