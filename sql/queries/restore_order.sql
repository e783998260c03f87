-- Moves a refunded order back once nothing stands against its payment: to what its grant made of it, or to a person where nothing
-- was granted yet.
--
-- $1 text  order
update counterfoil.orders o
set state = case when p.is_granted then 'fulfilled' else 'review' end,
    reason = case when p.is_granted then null else 'refund_reversed' end,
    updated_at = now()
from (select exists (select from counterfoil.grants g where g.order_id = $1::text) as is_granted) p
where o.order_id = $1::text and o.state = 'refunded'
    and not exists (
        select from counterfoil.grants g
        join counterfoil.revoked_grants v on v.grant_id = g.id
        where g.order_id = $1::text
    )
    and not exists (
        select from counterfoil.standing_revocations r
        where r.bundle_id = o.bundle_id and r.environment = o.environment and r.transaction_id = o.transaction_id
    )
