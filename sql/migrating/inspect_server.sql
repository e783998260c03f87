-- What the migrator judges before it changes anything; one row.
select
    current_setting('server_version_num')::integer as server_version, current_setting('server_encoding') as encoding,
    current_user::text as role,
    -- From PostgreSQL 16 on, who may create roles has no power over those that another role made. Who may act as the owner needs
    -- none to replace routines; the roles' settings are left then, with a warning.
    coalesce(
        (
            select string_agg(r.rolname, ', ' order by r.rolname)
            from pg_catalog.pg_roles r
            where r.rolname in (
                    'counterfoil_owner', 'counterfoil_backend', 'counterfoil_worker', 'counterfoil_support', 'counterfoil_reader',
                    'counterfoil_gateway'
                )
                and case
                    when current_setting('server_version_num')::integer < 160000 then false
                    when exists (
                        select
                        from pg_catalog.pg_namespace n
                        join pg_catalog.pg_roles o on o.oid = n.nspowner
                        where n.nspname = 'counterfoil' and o.rolname = 'counterfoil_owner' and pg_has_role(o.oid, 'set')
                    ) then false
                    else not pg_has_role(r.oid, 'member with admin option')
                end
        ), ''
    ) as roles_of_others
