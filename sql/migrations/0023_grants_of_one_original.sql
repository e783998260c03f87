-- Grants that repeat an original transaction whose name is not their key: periods of a subscription, what was bought again after a
-- refund, and what was listed as a consumable by mistake. They are few.
--
-- As 0009, it is made beside workers, and each statement may be repeated.
-- concurrently

-- What an interruption left behind, which is no index that anybody may use.
drop index concurrently if exists counterfoil.grants_by_original;

-- Serves grants_of_payment, revoked_grants, take_back_payments.sql.
create index concurrently grants_by_original on counterfoil.grants (bundle_id, original_transaction_id, environment)
    where grant_key not like 'original:%' and transaction_id <> original_transaction_id;
