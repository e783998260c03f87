-- Where a subscription is, by any of its transactions.
--
-- $1 text  transaction or original transaction    $2 text  bundle id, or null    $3 text  environment, or null
select s.*
from (
    select o.bundle_id, o.environment, o.original_transaction_id
    from (
        select p.bundle_id, p.environment, p.original_transaction_id from counterfoil.payments p where p.transaction_id = $1::text
        union
        select a.bundle_id, a.environment, a.original_transaction_id from counterfoil.accesses a where a.transaction_id = $1::text
        union
        select s.bundle_id, s.environment, s.original_transaction_id
        from counterfoil.subscriptions s
        where s.original_transaction_id = $1::text
    ) o
    where ($2::text is null or o.bundle_id = $2::text) and ($3::text is null or o.environment = $3::text)
    offset 0
) f
cross join lateral (
    select s.* from counterfoil.subscription_status s
    where s.original_transaction_id = f.original_transaction_id and s.bundle_id = f.bundle_id and s.environment = f.environment
    offset 0
) s
order by s.bundle_id, s.environment, s.ownership desc
