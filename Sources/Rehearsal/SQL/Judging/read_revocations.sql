-- Every payment that was taken back, with its share in thousandths of a percent; null where nobody knows it.
select r.bundle_id, r.environment, r.transaction_id, r.share from counterfoil.revocations_in_force r
