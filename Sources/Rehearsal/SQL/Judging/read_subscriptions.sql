-- Where each subscription is.
select
    s.bundle_id, s.environment, s.original_transaction_id, s.account_id, s.status, s.ownership, s.transaction_id, s.product_id,
    floor(extract(epoch from s.expires_at))::bigint, floor(extract(epoch from s.access_until))::bigint,
    floor(extract(epoch from s.grace_ends_at))::bigint, s.is_in_billing_retry, s.will_renew, s.renews_as, s.next_transaction_id,
    s.next_product_id, floor(extract(epoch from s.next_begins_at))::bigint, floor(extract(epoch from s.next_expires_at))::bigint
from counterfoil.subscription_status s
