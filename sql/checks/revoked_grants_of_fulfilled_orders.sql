-- An order that still counts as fulfilled although its payment was taken back.
--
-- What revoked_grants tells, from the side of the revocations, which are few: their grants are looked up.
select g.order_id, g.transaction_id, r.occurred_at
from counterfoil.standing_revocations r
cross join lateral (
    select t.grant_id
    from counterfoil.transaction_ids t
    where t.bundle_id = r.bundle_id and t.environment = r.environment and t.transaction_id = r.transaction_id
    union all
    select k.id
    from counterfoil.grants k
    where k.bundle_id = r.bundle_id and k.environment = r.environment
        and k.grant_key = 'original:' || r.original_transaction_id and k.purchased_at <= r.occurred_at
) taken
join counterfoil.grants g on g.id = taken.grant_id
join counterfoil.orders o on o.order_id = g.order_id
where o.state = 'fulfilled'
limit 100
