-- A grant whose transaction could be granted again under another key.
select g.order_id, g.bundle_id, g.environment, g.transaction_id
from counterfoil.grants g
where not exists (
    select from counterfoil.transaction_ids t
    where t.bundle_id = g.bundle_id and t.environment = g.environment and t.transaction_id = g.transaction_id
        and t.grant_id = g.id
)
limit 100
