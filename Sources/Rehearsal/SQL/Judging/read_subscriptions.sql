-- Where each subscription is.
select
    s.bundle_id, s.environment, s.original_transaction_id, s.account_id, s.status, s.transaction_id, s.product_id,
    floor(extract(epoch from s.expires_at))::bigint, floor(extract(epoch from s.access_until))::bigint, s.will_renew,
    s.next_transaction_id, floor(extract(epoch from s.next_expires_at))::bigint
from counterfoil.subscription_status s
