-- Private: the privileges that roles have on the schema and on what is in it, a row a privilege; without those of each object's
-- owner.
--
-- A view that the migrator makes before all others: it grants by it.

create or replace view counterfoil.privileges_held as
select
    k.object, k.column_name, coalesce(r.rolname::text, 'public') as role, a.privilege_type as privilege,
    k.kind = 'routine' as is_of_a_routine,
    a.grantee = 0
    or r.rolname in (
        'counterfoil_owner', 'counterfoil_backend', 'counterfoil_worker', 'counterfoil_support', 'counterfoil_reader',
        'counterfoil_gateway'
    ) as is_of_our_role
from (
    select 'schema' as kind, 'schema counterfoil' as object, '' as column_name, n.nspowner as owner, n.nspacl as acl
    from pg_catalog.pg_namespace n
    where n.nspname = 'counterfoil'
    union all
    select
        'table', format('%s counterfoil.%I', case c.relkind when 'S' then 'sequence' else 'table' end, c.relname), '', c.relowner,
        c.relacl
    from pg_catalog.pg_class c
    where c.relnamespace = 'counterfoil'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
    union all
    select 'table', format('table counterfoil.%I', c.relname), t.attname::text, c.relowner, t.attacl
    from pg_catalog.pg_class c
    -- One pass over all columns takes fewer pages than a look-up for each table.
    join (
        select a.attrelid, a.attname, a.attacl from pg_catalog.pg_attribute a where a.attacl is not null and not a.attisdropped
        offset 0
    ) t on t.attrelid = c.oid
    where c.relnamespace = 'counterfoil'::regnamespace and c.relkind in ('r', 'p', 'v')
    union all
    select
        'routine', case p.prokind when 'p' then 'procedure ' else 'function ' end || p.oid::regprocedure, '', p.proowner,
        coalesce(p.proacl, acldefault('f', p.proowner))
    from pg_catalog.pg_proc p
    where p.pronamespace = 'counterfoil'::regnamespace
) k
cross join lateral aclexplode(k.acl) a
left join pg_catalog.pg_roles r on r.oid = a.grantee
where a.grantee <> k.owner and (a.grantee = 0 or r.oid is not null);
comment on view counterfoil.privileges_held is 'Private: the privileges that roles have on the schema and on what is in it.';

alter view counterfoil.privileges_held owner to counterfoil_owner;
grant select on counterfoil.privileges_held to counterfoil_worker, counterfoil_support, counterfoil_reader;
