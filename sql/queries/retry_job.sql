-- Makes a waiting or discarded job available now, with all its attempts before it. A running one is left alone.
--
-- $1 int8  job
update counterfoil.jobs j
set state = 'available', run_at = now(), attempt = 0, rescues = 0, crashes = 0, uncertain_attempts = 0, reason = null
where j.id = $1::bigint and j.state <> 'running'
returning j.id
