-- What Apple signed last of subscriptions' renewals. What was signed earlier changes nothing, whenever it comes. Of two texts that
-- were signed at one time, one counts whichever comes first. Of the sandbox only what the app takes: a payment of it is kept, or an
-- access.
--
-- Parameters, an element a subscription: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10.
insert into counterfoil.subscriptions as s (
    bundle_id, environment, original_transaction_id, renews_as, will_renew, is_in_billing_retry, grace_ends_at, renews_at,
    expiration_intent, as_of
)
-- Several notifications of one batch may tell of one subscription.
select distinct on (e.original_transaction_id, e.bundle_id, e.environment) e.*
from unnest(
    $1::text[], -- bundle_id
    $2::text[], -- environment
    $3::text[], -- original_transaction_id
    $4::text[], -- renews_as: a product, or null
    $5::boolean[], -- will_renew, or null
    $6::boolean[], -- is_in_billing_retry, or null
    $7::timestamptz[], -- grace_ends_at, or null
    $8::timestamptz[], -- renews_at, or null
    $9::integer[], -- expiration_intent, or null
    $10::timestamptz[] -- as_of
) as e (
    bundle_id, environment, original_transaction_id, renews_as, will_renew, is_in_billing_retry, grace_ends_at, renews_at,
    expiration_intent, as_of
)
where e.environment = 'production'
    or (
        select true from counterfoil.payments p
        where p.transaction_id = e.original_transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
    )
    or (
        select true from counterfoil.payments p
        where p.original_transaction_id = e.original_transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
            and p.original_transaction_id <> p.transaction_id
        limit 1
    )
    or (
        select true from counterfoil.accesses a
        where a.original_transaction_id = e.original_transaction_id and a.bundle_id = e.bundle_id and a.environment = e.environment
        limit 1
    )
order by
    e.original_transaction_id, e.bundle_id, e.environment, e.as_of desc, e.renews_at desc nulls last,
    e.grace_ends_at desc nulls last, e.will_renew desc nulls last, e.renews_as desc nulls last
on conflict on constraint one_row_a_subscription do update
set renews_as = excluded.renews_as, will_renew = excluded.will_renew, is_in_billing_retry = excluded.is_in_billing_retry,
    grace_ends_at = excluded.grace_ends_at, renews_at = excluded.renews_at, expiration_intent = excluded.expiration_intent,
    as_of = excluded.as_of
where (
        s.as_of, coalesce(s.renews_at, '-infinity'), coalesce(s.grace_ends_at, '-infinity'), coalesce(s.will_renew, false),
        coalesce(s.renews_as, '')
    ) < (
        excluded.as_of, coalesce(excluded.renews_at, '-infinity'), coalesce(excluded.grace_ends_at, '-infinity'),
        coalesce(excluded.will_renew, false), coalesce(excluded.renews_as, '')
    )
