-- The statements that take back what our roles and everybody may do, and what any role may do with our routines. The migrator then
-- grants all of it anew, in the same database transaction.
select distinct
    format(
        'revoke all on %s from %s cascade', s.object, case s.role when 'public' then s.role else quote_ident(s.role) end
    ) as statement
from counterfoil.privileges_held s
where s.is_of_our_role or s.is_of_a_routine
order by 1
