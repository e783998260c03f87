-- The worker that a process is.
--
-- $1 int4  process
select w.id from counterfoil.workers w where w.pid = $1::integer order by w.id desc limit 1
