-- Signals to those who listen that the feed may have something new. A hint only.
select pg_notify('counterfoil_changes', '')
