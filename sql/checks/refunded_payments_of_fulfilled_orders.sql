-- An order that still counts as fulfilled although its payment was taken back.
--
-- From the side of the revocations, which are few: their payments are looked up.
select o.order_id, p.transaction_id, p.environment
from (
    select distinct r.original_transaction_id, r.bundle_id, r.environment from counterfoil.revocations_in_force r
) r
cross join lateral counterfoil.payments_of_original(r.bundle_id, r.environment, r.original_transaction_id) p
cross join lateral (
    select o.order_id, o.state from counterfoil.orders o where o.number = p.order_number offset 0
) o
where p.state = 'refunded' and o.state = 'fulfilled'
limit 100
