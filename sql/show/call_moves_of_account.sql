-- The moves and transfers of an account, the latest first.
--
-- $1 text  account    $2 int4  the most to list
select m.moved_at, m.what, m.order_id, m.from_account, m.to_account, m.who, m.why
from counterfoil.moves_of_account($1::text, $2::integer) m
