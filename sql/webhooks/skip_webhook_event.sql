-- An operator gives an event up: the next of its order is due. No row: it doesn't wait.
--
-- $1 int4  endpoint    $2 text  event id, or its change
select v.event_id, counterfoil.end_webhook(v.endpoint, v.event_id)::text
from counterfoil.webhook_events v
where v.endpoint = $1::integer and v.change_id >= 0 and (v.event_id = $2::text or v.change_id::text = $2::text)
