-- The apps by whose key Apple finds none of the payments that it signed, a row an app: of how many accounts, asked twice that many
-- seconds apart, and whether a gate is closed for it.
--
-- $1 float8  seconds
select
    g.bundle_id, max(n.accounts)::integer as accounts, bool_or(coalesce(g.closed_by = 'configuration', false)) as is_closed
from (
    select p.lane, least(count(*), count(distinct p.transaction_id)) as accounts
    from counterfoil.unfound_payments p
    where p.asked_at - p.first_asked_at >= make_interval(secs => $1::double precision)
    group by p.lane, p.credential_digest
) n
join counterfoil.gates g on g.lane = n.lane
group by g.bundle_id
order by g.bundle_id
