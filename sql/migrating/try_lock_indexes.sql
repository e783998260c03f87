-- Whether this session may make indexes now: one at a time does. An index that is made concurrently is in no database transaction,
-- so a row names the session. Who finds that session gone takes the row over. Nobody waits in the database: whoever waits there has
-- a snapshot, and the index would wait for that.
--
-- A role that doesn't see when another role's session began takes a session of that process id for the one that the row names.
with taken as (
    insert into counterfoil.index_makers as m (pid, started_at)
    select a.pid, a.backend_start from pg_catalog.pg_stat_activity a where a.pid = pg_backend_pid()
    on conflict (one_row) do update set pid = excluded.pid, started_at = excluded.started_at
    where m.pid = excluded.pid or not exists (
        select from pg_catalog.pg_stat_activity a
        where a.pid = m.pid and coalesce(a.backend_start, m.started_at) = m.started_at
    )
    returning m.pid
)
select exists (select from taken t)
