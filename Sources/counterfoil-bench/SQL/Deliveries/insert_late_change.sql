-- Writes a change as if five minutes ago; it is committed later.
insert into counterfoil.changes (kind, orders, versions, at)
select 'order_in_review', array[o.number], '{1}', clock_timestamp() - interval '5 minutes'
from counterfoil.orders o where o.order_id = 'late-1'
