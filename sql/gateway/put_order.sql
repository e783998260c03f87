-- Makes an order, or finds it as it was made; one row: its status, and whether it is new. A new order bears the time of this
-- statement.
--
-- $1 text  order      $3 text  product    $5 int4  quantity                    $7 bool  recovery
-- $2 text  bundle id  $4 text  account    $6 uuid  app account token, or null
select s.*, s.updated_at = now() as is_made
from counterfoil.place_order($1::text, $2::text, $3::text, $4::text, $5::integer, $6::uuid, $7::boolean) s
