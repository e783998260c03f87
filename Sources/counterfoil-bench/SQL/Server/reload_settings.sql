-- The server reads its settings again.
select pg_reload_conf()
