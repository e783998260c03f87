-- Where each subscription is, by what Apple signed (subscription_state): the current period, its end, and what comes next. Look one
-- up by subscription_status_of. It grants nothing: whether an account has access, the shop decides.
--
-- What somebody else paid for and a family member or the holder of a seat has, is a row beside them: of each member the latest
-- period.

create or replace view counterfoil.subscription_status as
select
    b.bundle_id, b.environment, b.original_transaction_id,
    s.product_id, s.account_id, s.transaction_id, s.purchased_at, s.expires_at, s.status,
    s.will_renew, s.renews_as, s.renews_at, s.grace_ends_at, s.expiration_intent,
    -- When Apple signed what is said of the next period. Null: no notification told of it.
    s.as_of,
    s.is_in_billing_retry,
    -- The later of the end and the grace; of what is revoked, when it was refunded.
    s.access_until,
    -- A period that is paid and hasn't begun.
    s.next_transaction_id, s.next_product_id, s.next_begins_at, s.next_expires_at,
    -- purchased; family_shared, assigned: somebody else paid for it.
    'purchased' as ownership
from (
    select s.bundle_id, s.environment, s.original_transaction_id
    from counterfoil.subscriptions s
    -- Of what somebody else paid for, the other branch has a row.
    where not exists (
        select from counterfoil.accesses a
        where a.original_transaction_id = s.original_transaction_id and a.bundle_id = s.bundle_id and a.environment = s.environment
    )
    union
    select p.bundle_id, p.environment, p.original_transaction_id
    from counterfoil.payments p
    where p.original_transaction_id = p.transaction_id and p.product_kind = 'auto_renewable'
    union
    select p.bundle_id, p.environment, p.original_transaction_id
    from counterfoil.payments p
    where p.original_transaction_id <> p.transaction_id and p.product_kind = 'auto_renewable'
) b
cross join lateral counterfoil.subscription_state(b.bundle_id, b.environment, b.original_transaction_id) s
union all
select
    a.bundle_id, a.environment, a.original_transaction_id, a.product_id, a.account_id, a.transaction_id, a.purchased_at, a.expires_at,
    a.status, a.will_renew, a.renews_as, a.renews_at, a.grace_ends_at, a.expiration_intent, a.as_of, a.is_in_billing_retry,
    a.access_until, null, null, null, null, a.ownership
from counterfoil.access_states a
where a.product_kind is distinct from 'non_consumable' and a.product_kind is distinct from 'non_renewing'
    -- The latest period that has begun.
    and not exists (
        select from counterfoil.accesses l
        where l.original_transaction_id = a.original_transaction_id and l.bundle_id = a.bundle_id and l.environment = a.environment
            and l.purchased_at > a.purchased_at and l.purchased_at <= now()
    );
comment on view counterfoil.subscription_status is
    'Where each subscription is, by what Apple signed. Look one up by subscription_status_of.';

alter view counterfoil.subscription_status owner to counterfoil_owner;
grant select on counterfoil.subscription_status to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
