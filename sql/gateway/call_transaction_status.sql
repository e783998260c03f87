-- What a transaction is to an account, in both environments.
--
-- $1 text  bundle id    $2 text  transaction id    $3 text  account
select * from counterfoil.transaction_status_of($1::text, null, $2::text, $3::text)
