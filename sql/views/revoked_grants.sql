-- Private: grants whose payment was taken back, by the id of any transaction that they are known under; where the original
-- transaction is the payment, by any revocation of it that is not older than the grant's purchase, nor of what was bought again
-- since; and where a subscription's period is, by one of that period.

create or replace view counterfoil.revoked_grants as
select t.grant_id, r.transaction_id, r.occurred_at
from counterfoil.standing_revocations r
join counterfoil.transaction_ids t
    on t.bundle_id = r.bundle_id and t.environment = r.environment and t.transaction_id = r.transaction_id
union all
select g.id, r.transaction_id, r.occurred_at
from counterfoil.standing_revocations r
join counterfoil.grants g
    on g.bundle_id = r.bundle_id and g.environment = r.environment
    and g.grant_key = 'original:' || r.original_transaction_id and g.purchased_at <= r.occurred_at
    -- Says nothing new; finds revocations by an index where the grant is given.
    and g.original_transaction_id = r.original_transaction_id
where (r.bought_again_after >= g.purchased_at) is not true
union all
select g.id, r.transaction_id, r.occurred_at
from counterfoil.standing_revocations r
join counterfoil.grants g
    on g.bundle_id = r.bundle_id and g.environment = r.environment
    and g.grant_key = 'web_order:' || r.web_order_line_item_id
    and g.original_transaction_id = r.original_transaction_id;
comment on view counterfoil.revoked_grants is 'Private: grants whose payment was taken back; a grant may come several times.';

alter view counterfoil.revoked_grants owner to counterfoil_owner;
grant select on counterfoil.revoked_grants to counterfoil_worker;
