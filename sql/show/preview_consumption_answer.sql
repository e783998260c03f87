-- The answer to Apple's question about a refund as it would be sent. Null in broken_rule: nothing stands against the decision.
--
-- $1 text  notification's uuid                  $4 text    delivery status, or null            $7 bool  sample content, or null
-- $2 text  app, or null: any                    $5 float8  consumed share in percent, or null
-- $3 bool  the customer consented, or null      $6 text    refund preference, or null     $8 bool  it would be declined
select
    a.bundle_id, a.environment, a.transaction_id, a.product_id, a.product_kind, a.account_id, a.order_id, a.reason, a.requested_at,
    a.deadline, a.decision, a.customer_consented, a.delivery_status, trim_scale(a.consumed_share)::text as consumed_share,
    a.refund_preference, a.sample_content_provided,
    case when $8::boolean then a.question_rule else a.broken_rule end as broken_rule
from counterfoil.consumption_answer_of(
    $1::text::uuid, $2::text, $3::boolean, $4::text, $5::double precision::numeric, $6::text, $7::boolean
) a
