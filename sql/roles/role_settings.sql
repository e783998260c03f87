-- The settings that our roles have in this database, and what is found of each: null where the role has none. make_role_settings
-- makes them at every migration, and doctor compares them: a database that was restored or renamed has none of them.
--
-- They belong to the roles, not to start-up options, so that they hold through PgBouncer too. A list, such as a search_path, is
-- separated by ', '.

create or replace view counterfoil.role_settings as
select s.role, s.setting, s.value, f.value as found
from (
    values
        -- Names are looked up in the server's own schema: whoever may create in another one could have us call what they made. The
        -- sessions of counterfoil_backend are the shop's; the functions that it calls have this path themselves.
        ('counterfoil_owner', 'search_path', 'pg_catalog, pg_temp'),
        ('counterfoil_worker', 'search_path', 'pg_catalog, pg_temp'),
        ('counterfoil_support', 'search_path', 'pg_catalog, pg_temp'),
        ('counterfoil_reader', 'search_path', 'pg_catalog, pg_temp'),

        -- Proofs are bound as parameters, by backends and by workers. Where the server logs statements, they stay out of its log.
        -- Only a superuser may set the first of the two (make_role_settings).
        ('counterfoil_owner', 'log_parameter_max_length', '0'),
        ('counterfoil_owner', 'log_parameter_max_length_on_error', '0'),
        ('counterfoil_worker', 'log_parameter_max_length', '0'),
        ('counterfoil_worker', 'log_parameter_max_length_on_error', '0'),
        ('counterfoil_support', 'log_parameter_max_length', '0'),
        ('counterfoil_support', 'log_parameter_max_length_on_error', '0'),
        ('counterfoil_backend', 'log_parameter_max_length', '0'),
        ('counterfoil_backend', 'log_parameter_max_length_on_error', '0'),
        ('counterfoil_reader', 'log_parameter_max_length', '0'),
        ('counterfoil_reader', 'log_parameter_max_length_on_error', '0'),

        ('counterfoil_worker', 'statement_timeout', '30s'),
        ('counterfoil_worker', 'lock_timeout', '5s'),
        -- A settlement that falls silent, because its worker froze or the network lost its statements, holds its orders' rows.
        -- It ends after 10 s, which is no longer than the shortest lease: then other workers take its jobs over. A healthy
        -- settlement sends its next statement within milliseconds.
        ('counterfoil_worker', 'idle_in_transaction_session_timeout', '10s'),
        -- These four are the idiom "generic plan" of sql/docs/idioms.md.
        ('counterfoil_worker', 'plan_cache_mode', 'force_generic_plan'),
        ('counterfoil_worker', 'jit', 'off'),
        ('counterfoil_worker', 'enable_bitmapscan', 'off'),
        ('counterfoil_worker', 'enable_seqscan', 'off'),
        -- A claim or a chore, which is a statement alone, meets rows that others change. Database transactions name their level.
        ('counterfoil_worker', 'default_transaction_isolation', 'read committed'),

        -- An act by hand that hangs holds rows that settlements need.
        ('counterfoil_support', 'statement_timeout', '60s'),
        ('counterfoil_support', 'lock_timeout', '5s'),
        ('counterfoil_support', 'idle_in_transaction_session_timeout', '10s'),
        ('counterfoil_support', 'default_transaction_isolation', 'read committed'),
        -- The boards are long statements over few rows.
        ('counterfoil_support', 'jit', 'off'),

        -- A backend's database transaction that hangs holds its orders, and keeps vacuum off the queue.
        ('counterfoil_backend', 'statement_timeout', '30s'),
        ('counterfoil_backend', 'lock_timeout', '10s'),
        ('counterfoil_backend', 'idle_in_transaction_session_timeout', '60s'),

        -- Settings of a role that it is a member of don't reach the gateway. A client that waits longer has gone.
        ('counterfoil_gateway', 'search_path', 'pg_catalog, pg_temp'),
        ('counterfoil_gateway', 'statement_timeout', '5s'),
        ('counterfoil_gateway', 'lock_timeout', '2s'),
        ('counterfoil_gateway', 'idle_in_transaction_session_timeout', '10s'),
        ('counterfoil_gateway', 'default_transaction_isolation', 'read committed'),

        -- A dashboard waits for nobody, takes one processor at most, and changes nothing.
        ('counterfoil_reader', 'statement_timeout', '5s'),
        ('counterfoil_reader', 'lock_timeout', '1s'),
        ('counterfoil_reader', 'idle_in_transaction_session_timeout', '10s'),
        ('counterfoil_reader', 'default_transaction_read_only', 'on'),
        ('counterfoil_reader', 'max_parallel_workers_per_gather', '0'),
        ('counterfoil_reader', 'jit', 'off'),
        -- suspicious_accounts groups a week's accounts in memory. With the default of 4 MB it sorts them on disk.
        ('counterfoil_reader', 'work_mem', '16MB')
) as s (role, setting, value)
left join lateral (
    select substr(c.text, strpos(c.text, '=') + 1) as value
    from pg_catalog.pg_db_role_setting d
    cross join unnest(d.setconfig) as c (text)
    where d.setrole = (select r.oid from pg_catalog.pg_roles r where r.rolname = s.role)
        and d.setdatabase = (select b.oid from pg_catalog.pg_database b where b.datname = current_database())
        and split_part(c.text, '=', 1) = s.setting
) f on true;
comment on view counterfoil.role_settings is 'Private: the settings that our roles should have in this database, and those that they have.';

grant select on counterfoil.role_settings to counterfoil_worker, counterfoil_support, counterfoil_reader;
