-- Every payment that was not granted.
select u.bundle_id, u.environment, u.transaction_id, u.reason from counterfoil.unclaimed_transactions u
