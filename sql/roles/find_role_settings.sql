-- The settings of our roles that are missing or differ; no row when all are as they should be.
select s.role, s.setting, s.value, s.found
from counterfoil.role_settings s
where s.found is distinct from s.value
order by s.role, s.setting
