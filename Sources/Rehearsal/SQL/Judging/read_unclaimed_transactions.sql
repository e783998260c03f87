-- Every payment that was not granted.
select u.bundle_id, u.environment, u.transaction_id, u.reason, u.quantity from counterfoil.unclaimed_transactions u
