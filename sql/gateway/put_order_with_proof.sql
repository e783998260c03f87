-- Makes an order and adds its proof; one row, as put_order has it, with the upload's job_id.
--
-- $1 text  order      $4 text  account    $7 uuid  app account token, or null
-- $2 text  bundle id  $5 text  proof      $8 bool  recovery
-- $3 text  product    $6 int4  quantity   $9 text  transaction id, or null
select s.*, s.updated_at = now() as is_made
from counterfoil.submit(
    $1::text, $2::text, $3::text, $4::text, $5::text, $6::integer, $7::uuid, $8::boolean, $9::text
) s
