-- Payments that were taken back before anybody had them are looked up by the id that a client shows, and statements need functions
-- that came after the last migration.

set local role counterfoil_owner;

-- Serves transaction_status.
create index revoked_unclaimed_transactions_by_id
    on counterfoil.revoked_unclaimed_transactions (bundle_id, transaction_id, environment);
