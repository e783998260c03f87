-- An id that leads to a grant of another app or environment.
select t.bundle_id, t.environment, t.transaction_id, g.order_id
from counterfoil.transaction_ids t
join counterfoil.grants g on g.id = t.grant_id
where (t.bundle_id, t.environment) is distinct from (g.bundle_id, g.environment)
limit 100
