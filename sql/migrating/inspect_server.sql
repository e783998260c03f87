-- What the migrator judges before it changes anything; one row.
select
    current_setting('server_version_num')::integer as server_version, current_setting('server_encoding') as encoding,
    current_user::text as role,
    -- From PostgreSQL 16 on, who may create roles has no power over those that another role made.
    coalesce(
        (
            select string_agg(r.rolname, ', ' order by r.rolname)
            from pg_catalog.pg_roles r
            where r.rolname in (
                    'counterfoil_owner', 'counterfoil_delivery', 'counterfoil_backend', 'counterfoil_worker', 'counterfoil_support',
                    'counterfoil_reader'
                )
                and current_setting('server_version_num')::integer >= 160000
                and not pg_has_role(r.oid, 'member with admin option')
        ), ''
    ) as roles_of_others
