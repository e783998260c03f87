-- What privileges differ from what the last migration granted, what is missing first; no row when none does.
select d.object, d.role, d.is_missing, d.statement
from counterfoil.privilege_differences d
order by d.is_missing desc, d.object, d.role
