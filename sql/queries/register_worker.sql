-- Makes the row of a worker that starts; returns its id.
--
-- $1 text  name    $3 int4  process id    $5 int4  slots
-- $2 text  host    $4 text  version
insert into counterfoil.workers (name, host, pid, version, slots)
values ($1::text, $2::text, $3::integer, $4::text, $5::integer)
returning id
