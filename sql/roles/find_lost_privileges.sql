-- What a restore lost because its server lacked some of our roles; no row when nothing is lost. Without its role, a dump restores
-- none of the role's privileges, and nothing as the owner's.
select 'the schema belongs to ' || o.rolname as lost, pg_has_role(o.oid, 'usage') as can_be_given_back
from pg_catalog.pg_namespace n join pg_catalog.pg_roles o on o.oid = n.nspowner
where n.nspname = 'counterfoil' and o.rolname <> 'counterfoil_owner'
union all
select u.role || ' has lost its privileges', true
from pg_catalog.pg_namespace n
cross join unnest(array[
    'counterfoil_backend', 'counterfoil_worker', 'counterfoil_support', 'counterfoil_reader', 'counterfoil_gateway'
]) as u (role)
where n.nspname = 'counterfoil' and not exists (
    select from aclexplode(n.nspacl) a join pg_catalog.pg_roles r on r.oid = a.grantee
    where r.rolname = u.role and a.privilege_type = 'USAGE'
)
order by 1
