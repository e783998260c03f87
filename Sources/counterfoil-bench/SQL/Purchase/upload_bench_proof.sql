-- As a backend uploads a proof.
--
-- $1 text  order    $2 text  proof
insert into counterfoil.jobs (order_id, proof) values ($1::text, $2::text)
