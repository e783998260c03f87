-- What is unclaimed of a payment that restores repeat under new ids, found by its original transaction.
--
-- As 0009, it is made beside workers, and each statement may be repeated.
-- concurrently

-- What an interruption left behind, which is no index that anybody may use.
drop index concurrently if exists counterfoil.unclaimed_transactions_by_original;

-- Serves insert_grants.sql, read_ledger.sql, insert_revocations.sql and import_grants. A renewal is no such payment, and most
-- rows are renewals.
create index concurrently unclaimed_transactions_by_original
    on counterfoil.unclaimed_transactions (bundle_id, original_transaction_id, environment) where reason <> 'renewal';
