-- Tells the feed what was changed of subscriptions (tell_subscriptions). The last statement of a settlement.
--
-- Parameters, an element a payment: $1, $2, $3, $4.
select counterfoil.tell_subscriptions(
    $1::text[], -- original_transaction_id
    $2::text[], -- bundle_id
    $3::text[], -- environment
    $4::text[] -- transaction_id
)
