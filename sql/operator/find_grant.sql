-- The order that a transaction was granted to, and when; no row when the ledger doesn't hold it. One that repeats a granted
-- purchase counts as granted with it.
--
-- $1 text  bundle id    $2 text  transaction id    $3 text  environment, or null for either
select g.order_id, g.granted_at
from (
    select t.environment, t.grant_id
    from counterfoil.transaction_ids t
    where t.bundle_id = $1::text and t.transaction_id = $2::text
    union all
    select t.environment, t.grant_id
    from counterfoil.restored_transactions t
    where t.bundle_id = $1::text and t.transaction_id = $2::text
) t
join counterfoil.grants g on g.id = t.grant_id
where $3::text is null or t.environment = $3::text
order by t.environment
