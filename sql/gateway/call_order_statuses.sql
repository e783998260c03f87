-- Where orders are, each with its account at the same place, and in how many seconds its next attempt may run: up to a hundred
-- that clients wait for.
--
-- $1 text[]  orders
-- $2 text[]  accounts
select s.*, extract(epoch from s.next_attempt_at - now())::double precision as next_attempt_in
from counterfoil.order_statuses_of_accounts($1::text[], $2::text[]) s
