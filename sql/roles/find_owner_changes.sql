-- The statements that give the schema, and all in it that has the schema's owner, to counterfoil_owner; none when it is the owner.
select s.statement
from pg_catalog.pg_namespace n
cross join lateral (
    select 0 as turn, 'alter schema counterfoil owner to counterfoil_owner' as statement
    union all
    -- Sequences follow their tables, indexes too.
    select 1, format('alter table counterfoil.%I owner to counterfoil_owner', c.relname)
    from pg_catalog.pg_class c
    where c.relnamespace = n.oid and c.relowner = n.nspowner and c.relkind in ('r', 'p', 'v')
    union all
    select 2, format('alter function %s owner to counterfoil_owner', p.oid::regprocedure)
    from pg_catalog.pg_proc p
    where p.pronamespace = n.oid and p.proowner = n.nspowner
) as s
where n.nspname = 'counterfoil' and pg_get_userbyid(n.nspowner) <> 'counterfoil_owner'
order by s.turn, s.statement
