-- Every payment that was taken back.
select r.bundle_id, r.environment, r.transaction_id from counterfoil.standing_revocations r
