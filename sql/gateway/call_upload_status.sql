-- What became of one upload of an account.
--
-- $1 int8  job
-- $2 text  account
select * from counterfoil.upload_status($1::bigint, $2::text)
