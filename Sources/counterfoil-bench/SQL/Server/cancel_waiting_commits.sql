-- Ends the waits for a synchronous standby that last for longer than a second, as a client does that cancels what takes too long.
select pg_cancel_backend(a.pid) from pg_stat_activity a where a.wait_event = 'SyncRep' and a.state_change < now() - interval '1 second'
