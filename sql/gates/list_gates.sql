-- All gates, closed ones first: what workers may claim, and what operators look at. And for how many orders Apple refused the
-- lane's secret or key since it accepted one: of all proofs, and of those that need it. And the key by which Apple found a payment
-- last, and one by which it found none: of how many accounts it was asked twice, that many seconds apart.
--
-- $1 float8  seconds
select
    g.lane, g.bundle_id, g.route, g.environment, g.state, g.closed_by, g.closed_for, g.why, g.closed_at, g.probe_at,
    g.failed_probes, coalesce(u.refusals, 0) as refusals, coalesce(u.needed_refusals, 0) as needed_refusals,
    g.found_credential_digest, n.unfound_credential_digest, coalesce(n.unfound_accounts, 0) as unfound_accounts
from counterfoil.gates g
left join (
    select
        r.lane, count(*) filter (where r.is_last_word)::integer as refusals,
        count(*) filter (where r.needs_credential and not r.is_accepted_since)::integer as needed_refusals
    from counterfoil.refusal_standings r
    where r.is_recent
    group by r.lane
) u on u.lane = g.lane
left join lateral (
    select
        p.credential_digest as unfound_credential_digest,
        least(count(*), count(distinct p.transaction_id))::integer as unfound_accounts
    from counterfoil.unfound_payments p
    where p.lane = g.lane and p.asked_at - p.first_asked_at >= make_interval(secs => $1::double precision)
    group by p.credential_digest
    order by max(p.asked_at) desc
    limit 1
) n on true
order by g.state, g.lane
