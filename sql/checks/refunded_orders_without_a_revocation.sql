-- An order that counts as refunded although nobody took its payment back, or Apple gave it again.
select o.order_id, o.transaction_id, o.environment
from counterfoil.orders o
left join counterfoil.grants g on g.order_id = o.order_id
where o.state = 'refunded'
    and case
        when g.id is not null then not exists (select from counterfoil.revoked_grants r where r.grant_id = g.id)
        else not exists (
            select from counterfoil.standing_revocations r
            where r.bundle_id = o.bundle_id and r.environment = o.environment and r.transaction_id = o.transaction_id
        )
    end
limit 100
