-- All gates, closed ones first: what workers may claim, and what operators look at. And for how many orders Apple refused the lane's
-- secret or key since it accepted one: of all proofs, and of those that need it. The longest time between two attempts at such an order
-- is shorter than 8 hours, so that older refusals are of orders that came to an end.
select
    g.lane, g.bundle_id, g.route, g.environment, g.state, g.closed_by, g.closed_for, g.why, g.closed_at, g.probe_at,
    g.failed_probes, coalesce(u.refusals, 0) as refusals, coalesce(u.needed_refusals, 0) as needed_refusals
from counterfoil.gates g
left join (
    select
        r.lane, count(*) filter (where r.refused_at > coalesce(a.credential_accepted_at, '-infinity'))::integer as refusals,
        count(*) filter (
            where r.needs_credential and r.refused_at > coalesce(a.needed_credential_accepted_at, '-infinity')
        )::integer as needed_refusals
    from counterfoil.credential_refusals r
    join counterfoil.gates a on a.lane = r.lane
    where r.refused_at > now() - interval '8 hours'
    group by r.lane
) u on u.lane = g.lane
order by g.state, g.lane
