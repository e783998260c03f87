-- The statements that give the schema, and all in it that a restore left to another role, to counterfoil_owner; none when nothing
-- was.
select s.statement
from pg_catalog.pg_namespace n
cross join lateral (
    select 0 as turn, 'alter schema counterfoil owner to counterfoil_owner' as statement, n.nspowner as owner
    union all
    -- Sequences follow their tables, indexes too.
    select 1, format('alter table counterfoil.%I owner to counterfoil_owner', c.relname), c.relowner
    from pg_catalog.pg_class c
    where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v')
    union all
    select 2, format('alter type counterfoil.%I owner to counterfoil_owner', c.relname), c.relowner
    from pg_catalog.pg_class c
    where c.relnamespace = n.oid and c.relkind = 'c'
    union all
    select 3, format('alter function %s owner to counterfoil_owner', p.oid::regprocedure), p.proowner
    from pg_catalog.pg_proc p
    where p.pronamespace = n.oid
) as s
where n.nspname = 'counterfoil' and pg_get_userbyid(s.owner) <> 'counterfoil_owner'
order by s.turn, s.statement
