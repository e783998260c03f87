-- Private: what somebody else paid for and a family member or the holder of a seat has, a row a transaction, in the form of
-- subscription_status. Look it up by transaction_id or original_transaction_id.

create or replace view counterfoil.access_states as
select
    a.bundle_id, a.environment, a.original_transaction_id, a.product_id,
    -- Of a renewal that only Apple told: the account that showed an earlier one.
    coalesce((select m.account_now from counterfoil.moved_accounts m where m.account_id = h.account_id), h.account_id) as account_id,
    a.transaction_id, a.purchased_at, a.ends_at as expires_at,
    case
        when a.ended_at is not null then 'revoked'
        when a.ends_at is null or a.ends_at > now() then 'active'
        when g.grace_ends_at > now() then 'grace'
        when g.is_in_billing_retry then 'billing_retry'
        else 'expired'
    end as status,
    s.will_renew, s.renews_as, s.renews_at, g.grace_ends_at, s.expiration_intent, s.as_of, g.is_in_billing_retry,
    case when a.ended_at is not null then least(a.ends_at, a.ended_at) else greatest(a.ends_at, g.grace_ends_at) end as access_until,
    a.ownership, a.product_kind
from counterfoil.accesses a
left join lateral (
    select coalesce(
        a.account_id,
        (
            select l.account_id from counterfoil.accesses l
            where l.original_transaction_id = a.original_transaction_id and l.bundle_id = a.bundle_id
                and l.environment = a.environment and l.account_id is not null
            order by l.purchased_at desc
            limit 1
        )
    ) as account_id
) h on true
left join counterfoil.subscriptions s
    on s.original_transaction_id = a.original_transaction_id and s.bundle_id = a.bundle_id and s.environment = a.environment
-- The newest renewal info is about this period, unless a later one has begun.
cross join lateral (
    select
        case when i.is_about_this then s.grace_ends_at end as grace_ends_at,
        case when s.as_of is not null then i.is_about_this and s.is_in_billing_retry is true end as is_in_billing_retry
    from (
        select s.as_of >= a.purchased_at and not exists (
            select from counterfoil.accesses l
            where l.original_transaction_id = a.original_transaction_id and l.bundle_id = a.bundle_id
                and l.environment = a.environment and l.purchased_at > a.purchased_at and l.purchased_at <= now()
        ) as is_about_this
    ) i
) g;
comment on view counterfoil.access_states is
    'Private: what somebody else paid for, and a family member or the holder of a seat has. A row a transaction.';

alter view counterfoil.access_states owner to counterfoil_owner;
grant select on counterfoil.access_states to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
