-- A job of a shop that says which account uploads; it must be the order's.
--
-- $1 text  order    $2 text  proof    $3 text  account
insert into counterfoil.jobs (order_id, proof, account_id) values ($1::text, $2::text, $3::text)
