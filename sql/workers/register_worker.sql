-- Makes the row of a worker that starts; returns its id, and the hosts of others of its name that live. Rows that its name left
-- behind on this host, when it was killed, go: a worker that lives after all makes its own again with its next sign of life.
--
-- No row where the next id is taken: a worker that was running while the database was dropped and made anew made its own row again
-- (beat_worker). Sent again, it takes the next id.
--
-- $1 text  name    $3 int4  process id    $5 int4  slots
-- $2 text  host    $4 text  version
with left_behind as (
    delete from counterfoil.workers w
    where w.name = $1::text and w.host = $2::text and w.heartbeat_at < now() - interval '1 minute'
)
insert into counterfoil.workers (name, host, pid, version, slots)
values ($1::text, $2::text, $3::integer, $4::text, $5::integer)
on conflict (id) do nothing
returning id, (
    select string_agg(distinct w.host, ', ') from counterfoil.workers w
    where w.name = $1::text and w.heartbeat_at >= now() - interval '1 minute'
) as namesakes
