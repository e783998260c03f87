-- Tells the feed of payments that came to light in this settlement, all at once: a trigger would tell of each by itself
-- (tell_unclaimed).
--
-- Parameters, an element a payment: $1, $2, $3.
--
-- Idiom: offset 0.
select counterfoil.tell_payments(array_agg(e.bundle_id), array_agg(e.environment), array_agg(e.transaction_id))
from unnest(
    $1::text[], -- bundle_id
    $2::text[], -- environment
    $3::text[] -- transaction_id
) as e (bundle_id, environment, transaction_id)
cross join lateral (
    select p.seen_at, p.reason from counterfoil.payments p
    where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
    offset 0
) p
where p.seen_at = now() and counterfoil.comes_to_light(p.reason)
having count(*) > 0
