-- The follow-ups of new grants: jobs that report to Apple that the transaction is finished.
--
-- $1 text[]  orders    $2 text[]  environments    $3 text[]  transaction ids
insert into counterfoil.jobs (order_id, kind, transaction_id, lane)
select e.order_id, 'finish', e.transaction_id, g.lane
from unnest($1::text[], $2::text[], $3::text[]) as e (order_id, environment, transaction_id)
join counterfoil.orders o on o.order_id = e.order_id
join counterfoil.gates g
    on g.bundle_id = o.bundle_id and g.route = 'finish_transaction' and g.environment = e.environment
