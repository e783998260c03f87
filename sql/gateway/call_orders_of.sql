-- A page of an account's orders, newest first.
--
-- $1 text  account                             $4 text  state, or null         $6 bool    whether they can still be paid
-- $2 int4  at most                             $5 text  product, or null       $7 text[]  bundle ids, or null
-- $3 text  the order that they come before, or null
select *
from counterfoil.orders_of($1::text, $2::integer, $3::text, $4::text, $5::text, $6::boolean, $7::text[])
