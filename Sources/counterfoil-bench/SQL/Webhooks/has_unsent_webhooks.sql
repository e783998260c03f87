-- Whether an endpoint is still to be sent anything.
--
-- $1 text  its name
select
    s.state <> 'on' or s.waiting + s.behind + s.given_up > 0
    or coalesce(counterfoil.unread_changes(e.cursor, e.bundle_ids, e.kinds), 1) > 0 as has_unsent
from counterfoil.webhook_status s
join counterfoil.webhook_endpoints e on e.name = s.name
where s.name = $1::text
