-- Every payment that was taken back as a whole.
select r.bundle_id, r.environment, r.transaction_id from counterfoil.standing_revocations r where r.is_whole
