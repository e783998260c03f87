-- Where a subscription is, by what Apple signed: the period that ends last, and what the next one will be. Look it up by
-- original_transaction_id. It grants nothing: whether an account has access, the shop decides.

create or replace view counterfoil.subscription_status as
select
    b.bundle_id, b.environment, b.original_transaction_id,
    l.product_id, l.account_id, l.transaction_id, l.purchased_at, l.expires_at,
    case
        when l.is_refunded then 'revoked'
        when l.expires_at > now() then 'active'
        when s.grace_ends_at > now() then 'grace'
        when s.is_in_billing_retry then 'billing_retry'
        else 'expired'
    end as status,
    s.will_renew, s.renews_as, s.renews_at, s.grace_ends_at, s.expiration_intent,
    -- When Apple signed what is said of the next period. Null: no notification told of it.
    s.as_of
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
left join counterfoil.subscriptions s
    on s.original_transaction_id = b.original_transaction_id and s.bundle_id = b.bundle_id and s.environment = b.environment
left join lateral (
    select q.product_id, coalesce(q.paid_account_id, q.account_id) as account_id, q.transaction_id, q.purchased_at, q.expires_at, q.is_refunded
    from (
        (
            select p.* from counterfoil.payment_states p
            where p.transaction_id = b.original_transaction_id and p.bundle_id = b.bundle_id and p.environment = b.environment
        )
        union all
        (
            select p.* from counterfoil.payment_states p
            where p.original_transaction_id = b.original_transaction_id and p.bundle_id = b.bundle_id and p.environment = b.environment
                and p.original_transaction_id <> p.transaction_id
        )
    ) q
    order by q.expires_at desc nulls last, q.purchased_at desc
    limit 1
) l on true;
comment on view counterfoil.subscription_status is
    'Where a subscription is, by what Apple signed last. Look it up by original_transaction_id.';

alter view counterfoil.subscription_status owner to counterfoil_owner;
grant select on counterfoil.subscription_status to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
