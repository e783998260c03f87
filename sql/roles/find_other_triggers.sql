-- The triggers on our tables that counterfoil didn't make: each runs in settlements, with the rights of who settles.
select format('%I on %s', t.tgname, t.tgrelid::regclass) as trigger, t.tgfoid::regprocedure::text as function
from pg_catalog.pg_trigger t
join pg_catalog.pg_class c on c.oid = t.tgrelid
join pg_catalog.pg_proc p on p.oid = t.tgfoid
where c.relnamespace = 'counterfoil'::regnamespace and not t.tgisinternal
    and (p.pronamespace, p.proowner) is distinct from ('counterfoil'::regnamespace, c.relowner)
order by 1
