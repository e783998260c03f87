-- Lanes whose secret or key Apple refused lately, a row a lane: the app, the route, the environment, whether the gate is closed for
-- it, for how many orders it was refused since Apple accepted one, for how many others although Apple accepted one since, and
-- whether Apple accepted it within the last ten minutes, in this lane or in another one.
select
    g.bundle_id, g.route, g.environment, coalesce(g.closed_by = 'configuration', false) as is_closed,
    (count(*) filter (where not (r.is_of_proof or r.is_accepted_since)))::integer as undecided,
    (count(*) filter (where r.is_of_proof or r.is_accepted_since))::integer as alone,
    coalesce(
        (
            select max(a.credential_accepted_at) > now() - interval '10 minutes'
            from counterfoil.gates a
            where a.bundle_id = g.bundle_id and a.credential_digest = g.credential_digest
        ), false
    ) as is_accepted_lately
from counterfoil.refusal_standings r
join counterfoil.gates g on g.lane = r.lane
where r.is_recent
group by g.lane
order by g.lane
