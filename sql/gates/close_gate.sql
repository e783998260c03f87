-- Closes a gate, unless it is closed already; an operator's hand goes over all others, and a fault of configuration over what
-- passes by itself. The lane is closed since the first of them. Returns the lane when it closed it.
--
-- $1 int4  lane
-- $2 text  closed by: breaker, budget, configuration or operator
-- $3 text  closed for: the operator or worker, by name
-- $4 text  why
-- $5 float8  seconds until the first probe, or null for none
update counterfoil.gates g
set state = 'closed', closed_by = $2::text, closed_for = $3::text, why = $4::text,
    closed_at = case g.state when 'closed' then g.closed_at else now() end,
    failed_probes = 0, probe_until = null, probe_at = now() + make_interval(secs => $5::double precision)
where g.lane = $1::integer
    and (
        g.state = 'open'
        or $2::text = 'operator' and g.closed_by <> 'operator'
        or $2::text = 'configuration' and g.closed_by in ('breaker', 'budget')
    )
returning g.lane
