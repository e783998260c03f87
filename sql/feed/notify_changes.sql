-- Tells who listens that the feed may have something new. A hint only.
select pg_notify('counterfoil_changes', '')
