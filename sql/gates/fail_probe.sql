-- Gives up a probe: the gate stays closed until the next one.
--
-- $1 int4    lane
-- $2 float8  seconds until the next probe
-- $3 bool    whether the probe failed, rather than found nothing to probe with
update counterfoil.gates g
set probe_until = null, probe_at = now() + make_interval(secs => $2::double precision),
    failed_probes = g.failed_probes + $3::boolean::integer
where g.lane = $1::integer and g.state = 'closed'
