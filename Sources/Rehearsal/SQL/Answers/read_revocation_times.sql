-- When it was first recorded that a transaction was taken back, wholly or in part.
select r.bundle_id, r.environment, r.transaction_id, min(r.recorded_at)
from counterfoil.revocations r
where r.kind = 'revocation'
group by r.bundle_id, r.environment, r.transaction_id
