-- The apps, with what decides which of Apple's services verify their proofs.
select
    a.bundle_id, a.receipt_route, a.confirm_after is not null or a.finish_transactions as asks_server_api,
    exists (
        select from counterfoil.products p where p.bundle_id = a.bundle_id and p.kind = 'auto_renewable'
    ) as sells_subscriptions
from counterfoil.apps a
order by a.bundle_id
