-- A worker's sign of life, and the server's time; makes its row anew should it have been removed as silent. Nothing is written, and
-- there is no row, where the id is another worker's, which started after the database was dropped and made anew.
--
-- $1 int8  worker    $3 text  host          $5 text  version    $7 int4  jobs that it runs
-- $2 text  name      $4 int4  process id    $6 int4  slots
insert into counterfoil.workers as w (id, name, host, pid, version, slots, running)
overriding system value
values ($1::bigint, $2::text, $3::text, $4::integer, $5::text, $6::integer, $7::integer)
on conflict (id) do update set heartbeat_at = now(), running = excluded.running
where (w.name, w.host, w.pid) = (excluded.name, excluded.host, excluded.pid)
returning now() as server_time
