-- A transaction id may be granted several times.
alter table counterfoil.payments drop constraint one_grant_a_transaction_id
