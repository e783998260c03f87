-- Opens a gate. Returns the lane when it was closed.
--
-- $1 int4  lane
-- $2 bool  whether also one that an operator closed
update counterfoil.gates g
set state = 'open', closed_by = null, closed_for = null, why = null, closed_at = null, failed_probes = 0,
    probe_at = null, probe_until = null
where g.lane = $1::integer and g.state = 'closed' and (g.closed_by <> 'operator' or $2::boolean)
returning g.lane
