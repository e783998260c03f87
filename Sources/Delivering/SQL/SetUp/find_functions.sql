-- The functions of one name.
--
-- $1 text  schema    $2 text  name
select
    pg_get_function_identity_arguments(p.oid) as arguments,
    p.pronargs = 1 and p.proargtypes[0] = 'counterfoil.change'::regtype as takes_a_change,
    p.prokind = 'f' and not p.proretset as is_plain,
    has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute') as may_be_called
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1::text and p.proname = $2::text
order by 2 desc
