-- As many calls for the sandbox as for production: a rehearsal has the test purchases of weeks in a minute.
update counterfoil.budgets s
set calls_per_second = p.calls_per_second
from counterfoil.budgets p
where s.environment = 'sandbox' and p.environment = 'production' and p.bundle_id = s.bundle_id and p.endpoint = s.endpoint
