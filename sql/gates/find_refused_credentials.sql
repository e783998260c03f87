-- Lanes whose secret or key Apple refused lately, a row a lane: the app, the route, the environment, whether the gate is closed for it, for
-- how many orders it was refused since Apple accepted one, and for how many others although Apple accepted one since.
--
-- As in list_gates: older refusals are of orders that came to an end.
select
    g.bundle_id, g.route, g.environment, coalesce(g.closed_by = 'configuration', false) as is_closed,
    (count(*) filter (where not (r.is_of_proof or passed.since)))::integer as undecided,
    (count(*) filter (where r.is_of_proof or passed.since))::integer as alone
from counterfoil.credential_refusals r
join counterfoil.gates g on g.lane = r.lane
cross join lateral (
    select
        coalesce(
            r.refused_at < case when r.needs_credential then g.needed_credential_accepted_at else g.credential_accepted_at end, false
        ) as since
) passed
where r.refused_at > now() - interval '8 hours'
group by g.lane
order by g.lane
