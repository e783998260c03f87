-- Opens a gate. Returns the lane when it was closed, and by whom, for whom and why.
--
-- $1 int4  lane
-- $2 bool  whether also one that an operator closed
update counterfoil.gates g
set state = 'open', closed_by = null, closed_for = null, why = null, closed_at = null, failed_probes = 0,
    probe_at = null, probe_until = null
from (
    select c.lane, c.closed_by, c.closed_for, c.why
    from counterfoil.gates c
    where c.lane = $1::integer and c.state = 'closed' and (c.closed_by <> 'operator' or $2::boolean)
    for no key update
) closed
where g.lane = closed.lane
returning g.lane, closed.closed_by, closed.closed_for, closed.why
