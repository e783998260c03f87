-- A payment that is both granted and unclaimed.
select u.bundle_id, u.environment, u.transaction_id, u.reason
from counterfoil.unclaimed_transactions u
join counterfoil.transaction_ids t
    on t.bundle_id = u.bundle_id and t.environment = u.environment and t.transaction_id = u.transaction_id
limit 100
