-- Records what our roles may do now, just after the migrator granted it.
with gone as (
    delete from counterfoil.privileges p
    where not exists (
        select from counterfoil.privileges_held s
        where s.object = p.object and s.role = p.role and s.privilege = p.privilege and s.column_name = p.column_name
            and s.is_of_our_role
    )
)
insert into counterfoil.privileges (object, column_name, role, privilege)
select s.object, s.column_name, s.role, s.privilege
from counterfoil.privileges_held s
where s.is_of_our_role
on conflict do nothing
