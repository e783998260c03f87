-- Where a subscription of an account is, in both environments.
--
-- $1 text  bundle id    $2 text  original transaction id    $3 text  account
select * from counterfoil.subscription_status_of($1::text, null, $2::text, $3::text)
