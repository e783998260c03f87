-- The subscriptions of an account in an app, in both environments.
--
-- $1 text  account    $2 text  bundle id
select * from counterfoil.subscriptions_of($1::text, $2::text)
