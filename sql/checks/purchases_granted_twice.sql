-- A purchase that two orders were granted, one of them under the id of a restore. Subscriptions grant each period once.
--
-- Restores are few: each is looked up.
select g.order_id, g.bundle_id, g.environment, g.transaction_id, g.original_transaction_id
from counterfoil.grants g
where g.product_kind <> 'auto_renewable' and g.transaction_id <> g.original_transaction_id
    and (
        select t.grant_id <> g.id from counterfoil.transaction_ids t
        where t.bundle_id = g.bundle_id and t.environment = g.environment and t.transaction_id = g.original_transaction_id
    )
limit 100
