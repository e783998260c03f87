-- Endpoints of webhooks that are off and that nobody switched off: the address wants no more, nothing was handled for 120 hours, or
-- the database was restored.
select e.name, e.off_because, e.off_since, e.last_error
from counterfoil.webhook_endpoints e
where e.off_because <> 'operator'
