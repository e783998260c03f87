-- An order in review whose only payment is refunded: there is nothing left that an operator could decide, and it stays in the
-- list of reviews. The refund should have moved it. Reasons that a refund leaves in review aren't faults.
--
-- From the side of the list, which is short.
--
-- Idioms: offset 0, row look-up.
select o.order_id, o.reason, s.transaction_id, s.environment
from counterfoil.orders_in_review r
join counterfoil.orders o on o.order_id = any (array[r.order_id])
cross join lateral (
    select x.transaction_id, x.environment
    from counterfoil.payment_states x
    where x.transaction_id = o.transaction_id and x.bundle_id = o.bundle_id
        and x.environment = coalesce(o.environment, x.environment) and x.state = 'taken_back'
    offset 0
) s
where r.since < now() - interval '1 hour' and o.state = 'review'
    and o.reason not in ('owner_mismatch', 'purchase_before_order', 'refund_reversed', 'unstorable')
    and (select true from counterfoil.unclaimed_for_order(o.order_id) u limit 1) is null
limit 100
