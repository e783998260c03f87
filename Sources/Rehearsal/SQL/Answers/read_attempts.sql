-- All finished attempts at orders, but those of follow-ups: these read no proof, and their lanes name an environment.
select a.order_id, a.job_id, a.submitted_at, a.claimed_at, a.finished_at, a.disposition, a.reason
from counterfoil.attempts a
where a.order_id is not null and not (a.proof_kind is null and a.environment is not null)
order by a.finished_at, a.lease_token
