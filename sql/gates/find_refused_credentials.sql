-- Lanes whose secret or key Apple refused lately, a row a lane: the app, the route, the environment, whether the gate is closed for
-- it, for how many orders it was refused since Apple accepted one, and for how many others although Apple accepted one since.
select
    g.bundle_id, g.route, g.environment, coalesce(g.closed_by = 'configuration', false) as is_closed,
    (count(*) filter (where not (r.is_of_proof or r.is_accepted_since)))::integer as undecided,
    (count(*) filter (where r.is_of_proof or r.is_accepted_since))::integer as alone
from counterfoil.refusal_standings r
join counterfoil.gates g on g.lane = r.lane
where r.is_recent
group by g.lane
order by g.lane
