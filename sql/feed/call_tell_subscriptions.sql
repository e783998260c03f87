-- Tells the feed what was changed of subscriptions (tell_subscriptions). The last statement of a settlement.
--
-- Parameters, an element a payment: $1, $2, $3, $4.
select counterfoil.tell_subscriptions(
    array_agg(e.original_transaction_id), array_agg(e.bundle_id), array_agg(e.environment), array_agg(e.transaction_id))
from unnest(
    $1::text[], -- original_transaction_id
    $2::text[], -- bundle_id
    $3::text[], -- environment
    $4::text[] -- transaction_id
) as e (original_transaction_id, bundle_id, environment, transaction_id)
