-- Private: grants whose payment was taken back: by the id of any transaction that they are known under, by one of the same period
-- of a subscription, or of the same payment where restores repeat it.

create or replace view counterfoil.revoked_grants as
select t.grant_id, r.transaction_id, r.occurred_at, r.bundle_id, r.environment
from counterfoil.standing_revocations r
join counterfoil.transaction_ids t
    on t.bundle_id = r.bundle_id and t.environment = r.environment and t.transaction_id = r.transaction_id
union all
select g.id, r.transaction_id, r.occurred_at, r.bundle_id, r.environment
from counterfoil.standing_revocations r
join counterfoil.grants g
    on g.bundle_id = r.bundle_id and g.environment = r.environment
    and g.grant_key = 'web_order:' || r.web_order_line_item_id
    and g.original_transaction_id = r.original_transaction_id
union all
select g.id, r.transaction_id, r.occurred_at, r.bundle_id, r.environment
from counterfoil.standing_revocations r
join counterfoil.grants g
    on g.bundle_id = r.bundle_id and g.environment = r.environment
    and g.grant_key = 'original:' || r.original_transaction_id
    -- Says nothing new; finds revocations by an index where the grant is given.
    and g.original_transaction_id = r.original_transaction_id
where counterfoil.is_one_payment(
    g.product_kind, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id, r.purchased_at,
    g.web_order_line_item_id, g.purchased_at)
union all
select g.id, r.transaction_id, r.occurred_at, r.bundle_id, r.environment
from counterfoil.standing_revocations r
join counterfoil.transaction_ids t
    on t.bundle_id = r.bundle_id and t.environment = r.environment and t.transaction_id = r.original_transaction_id
join counterfoil.grants g on g.id = t.grant_id and g.grant_key not like 'original:%'
where counterfoil.is_one_payment(
    g.product_kind, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id, r.purchased_at,
    g.web_order_line_item_id, g.purchased_at)
union all
select g.id, r.transaction_id, r.occurred_at, r.bundle_id, r.environment
from counterfoil.standing_revocations r
join counterfoil.grants g
    on g.bundle_id = r.bundle_id and g.environment = r.environment
    and g.original_transaction_id = r.original_transaction_id
    and g.grant_key not like 'original:%' and g.transaction_id <> g.original_transaction_id
where counterfoil.is_one_payment(
    g.product_kind, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id, r.purchased_at,
    g.web_order_line_item_id, g.purchased_at);
comment on view counterfoil.revoked_grants is 'Private: grants whose payment was taken back; a grant may come several times.';

alter view counterfoil.revoked_grants owner to counterfoil_owner;
grant select on counterfoil.revoked_grants to counterfoil_worker;
