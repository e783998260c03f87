-- A hint, after a commit, that there are new jobs; nothing depends on it.
--
-- $1 text  channel
select pg_notify($1::text, '')
