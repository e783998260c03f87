-- The changes after a cursor of the feed, as a backend reads them. Of subscription_changed with its facts, as
-- read_subscriptions.sql has them.
--
-- $1 text  cursor
select
    c.kind, c.order_id, c.bundle_id, c.environment, c.transaction_id, c.next_cursor, c.account_id, c.product_id,
    c.original_transaction_id, floor(extract(epoch from c.expires_at))::bigint,
    d.details -> 'after' ->> 'name', d.details -> 'after' ->> 'account_id',
    d.details ->> 'original_transaction_id', d.details ->> 'account_id', d.details ->> 'status', 'purchased',
    d.details ->> 'transaction_id', d.details ->> 'product_id',
    floor(extract(epoch from (d.details ->> 'expires_at')::timestamptz))::bigint,
    floor(extract(epoch from (d.details ->> 'access_until')::timestamptz))::bigint,
    floor(extract(epoch from (d.details ->> 'grace_ends_at')::timestamptz))::bigint,
    (d.details ->> 'is_in_billing_retry')::boolean, (d.details ->> 'will_renew')::boolean, d.details ->> 'renews_as',
    d.details ->> 'next_transaction_id', d.details ->> 'next_product_id',
    floor(extract(epoch from (d.details ->> 'next_begins_at')::timestamptz))::bigint,
    floor(extract(epoch from (d.details ->> 'next_expires_at')::timestamptz))::bigint
from counterfoil.changes_since($1::text, 10000) c
-- Of other kinds they may have another form.
left join lateral (
    select c.details where c.kind in ('payment_renamed', 'subscription_changed')
) d on true
order by c.id
