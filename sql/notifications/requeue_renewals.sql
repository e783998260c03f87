-- Judges again what notifications told of subscriptions before anybody knew whose they are: a period was granted now, so that later
-- ones are its account's renewals. So it does for the reasons that yield to a renewal, and for what only a stranger showed.
--
-- $1 text[]  original transaction ids    $2 text[]  bundle ids    $3 text[]  environments
--
-- Idioms: array of one, lateral look-up, offset 0.
insert into counterfoil.jobs (kind, notification_id, lane, priority)
select 'notification', n.id, g.lane, 3
from unnest($1::text[], $2::text[], $3::text[]) as e (original_transaction_id, bundle_id, environment)
cross join lateral (
    select p.transaction_id
    from (
        select p.* from counterfoil.payments p
        where p.original_transaction_id = e.original_transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
            and p.original_transaction_id <> p.transaction_id
        offset 0
    ) p
    where p.reason = 'owner_mismatch'
        or p.shown_by_number is null
        and p.reason in ('no_order', 'before_ledger', 'unknown_product', 'product_kind_mismatch', 'subscription_unconfirmed')
    limit 100
) p
cross join lateral (
    select n.id
    from (
        select n.* from counterfoil.notifications n where n.transaction_id = any (array[p.transaction_id]) offset 0
    ) n
    where n.bundle_id = e.bundle_id and n.environment = e.environment and n.outcome in ('recorded', 'odd') and n.payload is not null
    order by n.signed_at desc
    limit 1
) n
join counterfoil.gates g on g.bundle_id = e.bundle_id and g.route = 'local'
on conflict do nothing
