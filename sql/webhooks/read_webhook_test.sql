-- A test that was asked for: its error, once it failed. No row: it was handled.
--
-- $1 text  event id
select v.next_at is null as has_failed, v.error from counterfoil.webhook_events v where v.event_id = $1::text and v.change_id < 0
