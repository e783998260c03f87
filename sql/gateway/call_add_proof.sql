-- Adds a proof to an order; its status, with the upload's job_id.
--
-- $1 text  order    $3 text  proof
-- $2 text  account  $4 text  transaction id, or null
select * from counterfoil.add_proof($1::text, $2::text, $3::text, $4::text)
