-- Decides about Apple's question about a refund.
--
-- $1 text  notification's uuid    $5 text     why                                   $9  text  refund preference, or null
-- $2 text  app, or null: any      $6 bool     the customer consented, or null       $10 bool  sample content, or null
-- $3 bool  whether it declines    $7 text     delivery status, or null
-- $4 text  who                    $8 float8   consumed share in percent, or null
select d.is_new, d.decision, d.deadline
from counterfoil.decide_consumption_request(
    $1::text::uuid, $2::text, $3::boolean, $4::text, $5::text, $6::boolean, $7::text, $8::double precision::numeric, $9::text,
    $10::boolean
) d
