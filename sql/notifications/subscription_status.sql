-- Where each subscription is, by what Apple signed (subscription_state): the current period, its end, and what comes next. Look one
-- up by subscription_status_of. It grants nothing: whether an account has access, the shop decides.

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
    s.next_transaction_id, s.next_product_id, s.next_begins_at, s.next_expires_at
from (
    select s.bundle_id, s.environment, s.original_transaction_id from counterfoil.subscriptions s
    union
    select p.bundle_id, p.environment, p.original_transaction_id
    from counterfoil.payments p
    where p.original_transaction_id = p.transaction_id and p.product_kind = 'auto_renewable'
    union
    select p.bundle_id, p.environment, p.original_transaction_id
    from counterfoil.payments p
    where p.original_transaction_id <> p.transaction_id and p.product_kind = 'auto_renewable'
) b
cross join lateral counterfoil.subscription_state(b.bundle_id, b.environment, b.original_transaction_id) s;
comment on view counterfoil.subscription_status is
    'Where each subscription is, by what Apple signed. Look one up by subscription_status_of.';

alter view counterfoil.subscription_status owner to counterfoil_owner;
grant select on counterfoil.subscription_status to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
