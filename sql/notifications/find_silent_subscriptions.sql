-- Subscriptions of an app that should have renewed or ended by now, and of which Apple told nothing since: a notification is
-- missing. They are marked as asked about, and come again a day later at the earliest. The longest silent come first.
--
-- $1 text  bundle id    $2 text  environment    $3 int4  the most to find
--
-- Idiom: lock first.
with silent as materialized (
    select s.original_transaction_id
    from counterfoil.subscriptions s
    where s.bundle_id = $1::text and s.environment = $2::text and s.will_renew
        -- Apple renews up to a day before, and tries for sixty days.
        and s.renews_at < now() - interval '1 hour' and s.renews_at > now() - interval '60 days'
        and s.as_of < s.renews_at
        and (s.asked_at is null or s.asked_at < now() - interval '20 hours')
    order by s.renews_at
    limit $3::integer
    for no key update skip locked
)
update counterfoil.subscriptions s
set asked_at = now()
from silent
where s.original_transaction_id = silent.original_transaction_id and s.bundle_id = $1::text and s.environment = $2::text
returning s.original_transaction_id
