-- Judges again what Apple told of sandbox purchases while the app didn't take them, since nobody knew whose they are: a payment of
-- the same original came to the ledger. In the order of signing; refunds, too. Whose it still isn't, is denied again.
--
-- $1 text[]  original transaction ids    $2 text[]  bundle ids    $3 text[]  environments
--
-- Idioms: lateral look-up, offset 0.
insert into counterfoil.jobs (kind, notification_id, lane, priority)
select 'notification', n.id, g.lane, 3
from unnest($1::text[], $2::text[], $3::text[]) as e (original_transaction_id, bundle_id, environment)
cross join lateral (
    select n.id, n.signed_at
    from counterfoil.notifications n
    where n.original_transaction_id = e.original_transaction_id and n.bundle_id = e.bundle_id and n.environment = e.environment
        and n.outcome = 'denied' and n.payload is not null
    order by n.signed_at, n.id
    limit 100
) n
join counterfoil.gates g on g.bundle_id = e.bundle_id and g.route = 'local'
order by n.signed_at, n.id
on conflict do nothing
