-- The orders of an account whose ids hold its name: an erasure leaves them, since ids are the shop's.
--
-- $1 text  account    $2 int4  the most to list
select o.order_id, o.state
from counterfoil.orders_of_account($1::text) o
where exists (select from counterfoil.accounts_of($1::text) k where position(k.account_id in o.order_id) > 0)
limit $2::integer
