-- Forgets a test.
--
-- $1 text  event id
delete from counterfoil.webhook_events v where v.event_id = $1::text and v.change_id < 0
