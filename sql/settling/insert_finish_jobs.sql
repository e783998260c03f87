-- The follow-ups of new grants: jobs that report to Apple that the transaction is finished.
--
-- $1 text[]  orders    $2 text[]  environments    $3 text[]  transaction ids
--
-- Idioms: array of one, offset 0.
insert into counterfoil.jobs (order_id, order_number, kind, transaction_id, lane)
select o.order_id, o.number, 'finish', e.transaction_id, g.lane
from unnest($1::text[], $2::text[], $3::text[]) as e (order_id, environment, transaction_id)
join counterfoil.orders o on o.order_id = any (array[e.order_id])
-- Of several that the short path asks for, only some may have been granted.
cross join lateral (
    select from counterfoil.payments p
    where p.order_number = any (array[o.number]) and p.transaction_id = e.transaction_id and p.granted_at = now()
    offset 0
) p
join counterfoil.gates g
    on g.bundle_id = o.bundle_id and g.route = 'finish_transaction' and g.environment = e.environment
