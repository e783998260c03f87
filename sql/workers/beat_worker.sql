-- A worker's sign of life; makes its row anew should it have been removed as silent.
--
-- $1 int8  worker    $3 text  host          $5 text  version    $7 int4  jobs that it runs
-- $2 text  name      $4 int4  process id    $6 int4  slots
insert into counterfoil.workers (id, name, host, pid, version, slots, running)
overriding system value
values ($1::bigint, $2::text, $3::text, $4::integer, $5::text, $6::integer, $7::integer)
on conflict (id) do update set heartbeat_at = now(), running = excluded.running
