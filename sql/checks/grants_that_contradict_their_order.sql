-- A grant of another app, product or account than was ordered, unless an operator gave it; or of another payment than the
-- order says.
select g.order_id, g.bundle_id, g.product_id, g.account_id
from counterfoil.grants g
join counterfoil.orders o on o.order_id = g.order_id
where
    (
        (g.bundle_id, g.product_id, g.account_id) is distinct from (o.bundle_id, o.product_id, o.account_id)
        and not exists (select from counterfoil.order_events e where e.order_id = g.order_id and e.kind = 'assigned')
    )
    or (
        o.state = 'fulfilled'
        and (g.transaction_id, g.environment) is distinct from (o.transaction_id, o.environment)
    )
limit 100
