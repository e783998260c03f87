-- Order and job in one call; the order's status comes back.
--
-- $1 text  order      $3 text  product    $5 text  proof       $7 uuid  app account token, or null
-- $2 text  bundle id  $4 text  account    $6 int4  quantity    $8 bool  recovery
select * from counterfoil.submit($1::text, $2::text, $3::text, $4::text, $5::text, $6::integer, $7::uuid, $8::boolean)
