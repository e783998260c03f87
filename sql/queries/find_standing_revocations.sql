-- What stands against an order's payment: the revocations of its grant under any id, or of the payment that it names; of a
-- transaction of its app, where one is named.
--
-- $1 text  order    $2 text  transaction id, or null
select r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id
from counterfoil.orders o
join counterfoil.standing_revocations r
    on r.bundle_id = o.bundle_id and r.environment = o.environment and r.transaction_id = o.transaction_id
where o.order_id = $1::text and $2::text is null
union
select r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id
from counterfoil.grants g
join counterfoil.revoked_grants v on v.grant_id = g.id
join counterfoil.standing_revocations r
    on r.bundle_id = g.bundle_id and r.environment = g.environment and r.transaction_id = v.transaction_id
where g.order_id = $1::text and $2::text is null
union
select r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id
from counterfoil.orders o
join counterfoil.standing_revocations r on r.bundle_id = o.bundle_id and r.transaction_id = $2::text
where o.order_id = $1::text
order by 3
