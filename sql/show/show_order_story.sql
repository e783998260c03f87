-- All that is known to have happened to an order, oldest first.
--
-- $1 text  order
select s.at, s.event, s.who, s.reason, s.detail
from counterfoil.order_story s
where s.order_id = $1::text
order by s.at, s.event
