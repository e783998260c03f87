-- Where orders are, each with its account at the same place: up to a hundred that clients wait for.
--
-- $1 text[]  orders
-- $2 text[]  accounts
select * from counterfoil.order_statuses_of_accounts($1::text[], $2::text[])
