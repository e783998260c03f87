-- An unclaimed payment whose order's answer says otherwise: the order that showed it was answered that the payment is owned or
-- granted already, and nobody was granted it. Of refunded orders refunded_orders_whose_payment_stands says it.
--
-- From the side of the payments that nothing was granted for: the order of each is looked up, and the few that answered so are
-- compared with what became of the payment. One taken for a renewal is never unclaimed.
--
-- Idiom: offset 0.
select s.transaction_id, s.bundle_id, s.environment, o.order_id, o.state, o.reason
from (
    select p.transaction_id, p.bundle_id, p.environment, p.shown_by_number
    from counterfoil.payments p
    where p.reason is not null and p.reason <> 'renewal' and p.shown_by_number is not null
    offset 0
) p
cross join lateral (
    select o.order_id, o.state, o.reason
    from counterfoil.orders o
    where o.number = p.shown_by_number and o.bundle_id = p.bundle_id and o.transaction_id = p.transaction_id
        and o.state = 'rejected' and o.reason in ('already_owned', 'already_granted')
    offset 0
) o
cross join lateral (
    select u.transaction_id, u.bundle_id, u.environment
    from counterfoil.payment_states u
    where u.transaction_id = p.transaction_id and u.bundle_id = p.bundle_id and u.environment = p.environment
        and u.state = 'unclaimed'
    offset 0
) s
limit 100
