-- Every id of a granted purchase, with the transaction that its grant was made for.
select t.bundle_id, t.environment, t.transaction_id, g.transaction_id as granted_transaction_id
from (
    select bundle_id, environment, transaction_id, grant_id from counterfoil.transaction_ids
    union all
    select bundle_id, environment, transaction_id, grant_id from counterfoil.restored_transactions
) t
join counterfoil.grants g on g.id = t.grant_id
