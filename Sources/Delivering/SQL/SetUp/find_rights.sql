-- Who we are, and whether that role may read the feed.
select
    current_user::text as role, has_schema_privilege('counterfoil', 'usage') as may_enter,
    exists (
        select from pg_type t join pg_namespace n on n.oid = t.typnamespace where n.nspname = 'counterfoil' and t.typname = 'change'
    ) as has_type,
    exists (
        select
        from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'counterfoil' and p.proname = 'changes_since' and has_function_privilege(p.oid, 'execute')
    ) as may_read
