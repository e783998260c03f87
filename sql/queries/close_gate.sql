-- Closes a gate, unless it is closed already; an operator's hand goes over a breaker's. Returns the lane when it did.
--
-- $1 int4  lane
-- $2 text  closed by: breaker, budget, configuration or operator
-- $3 text  closed for: the operator or worker, by name
-- $4 text  why
-- $5 float8  seconds until the first probe, or null for none
update counterfoil.gates g
set state = 'closed', closed_by = $2::text, closed_for = $3::text, why = $4::text, closed_at = now(),
    failed_probes = 0, probe_until = null, probe_at = now() + make_interval(secs => $5::double precision)
where g.lane = $1::integer and (g.state = 'open' or (g.closed_by <> 'operator' and $2::text = 'operator'))
returning g.lane
