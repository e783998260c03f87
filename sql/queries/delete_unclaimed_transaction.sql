-- Takes a payment off the unclaimed ones, for a grant in the same database transaction that goes over who showed it first.
--
-- $1 text  bundle id    $2 text  environment    $3 text  transaction id
delete from counterfoil.unclaimed_transactions u
where u.bundle_id = $1::text and u.environment = $2::text and u.transaction_id = $3::text
