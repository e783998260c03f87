-- A job of a shop whose client names the transaction that it means.
--
-- $1 text  order    $2 text  proof    $3 text  transaction
insert into counterfoil.jobs (order_id, proof, transaction_id) values ($1::text, $2::text, $3::text)
