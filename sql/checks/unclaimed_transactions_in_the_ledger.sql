-- A payment that is both granted and unclaimed.
select u.bundle_id, u.environment, u.transaction_id, u.reason
from counterfoil.unclaimed_transactions u
join counterfoil.transaction_ids t
    on t.bundle_id = u.bundle_id and t.environment = u.environment and t.transaction_id = u.transaction_id
union all
select u.bundle_id, u.environment, u.transaction_id, u.reason
from counterfoil.unclaimed_transactions u
join counterfoil.restored_transactions t
    on t.bundle_id = u.bundle_id and t.environment = u.environment and t.transaction_id = u.transaction_id
union all
-- A subscription's period under another id. A renewal's client finishes it either way.
select u.bundle_id, u.environment, u.transaction_id, u.reason
from counterfoil.unclaimed_transactions u
where u.reason <> 'renewal' and u.web_order_line_item_id is not null
    and (
        select g.original_transaction_id = u.original_transaction_id from counterfoil.grants g
        where g.bundle_id = u.bundle_id and g.environment = u.environment
            and g.grant_key = 'web_order:' || u.web_order_line_item_id
    )
limit 100
