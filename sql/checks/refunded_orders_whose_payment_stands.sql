-- An order that counts as refunded although its payment stands: the one that it was granted, or the one that it was refunded for
-- without a grant. Nobody took it back, or Apple gave it again.
--
-- Idiom: row look-up. Refunded orders are few; a join would read all payments.
select o.order_id, p.transaction_id, p.environment
from counterfoil.orders o
cross join lateral (
    select s.* from counterfoil.payment_states s where s.order_number = o.number
    union all
    select s.*
    from counterfoil.payment_states s
    where s.transaction_id = o.transaction_id and s.bundle_id = o.bundle_id and s.environment = o.environment
        and s.order_number is distinct from o.number
        and (select true from counterfoil.payments g where g.order_number = o.number) is null
    offset 0
) p
where o.state = 'refunded' and p.state in ('granted', 'unclaimed', 'renewal')
limit 100
