-- All gates, closed ones first: what workers may claim, and what operators look at. And for how many orders Apple refused the lane's
-- secret or key since it accepted one: of all proofs, and of those that need it.
select
    g.lane, g.bundle_id, g.route, g.environment, g.state, g.closed_by, g.closed_for, g.why, g.closed_at, g.probe_at,
    g.failed_probes, coalesce(u.refusals, 0) as refusals, coalesce(u.needed_refusals, 0) as needed_refusals
from counterfoil.gates g
left join (
    select
        r.lane, count(*) filter (where r.is_last_word)::integer as refusals,
        count(*) filter (where r.needs_credential and not r.is_accepted_since)::integer as needed_refusals
    from counterfoil.refusal_standings r
    where r.is_recent
    group by r.lane
) u on u.lane = g.lane
order by g.state, g.lane
