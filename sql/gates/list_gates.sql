-- All gates, closed ones first: what workers may claim, and what operators look at.
select
    g.lane, g.bundle_id, g.route, g.environment, g.state, g.closed_by, g.closed_for, g.why, g.closed_at, g.probe_at,
    g.failed_probes
from counterfoil.gates g
order by g.state, g.lane
