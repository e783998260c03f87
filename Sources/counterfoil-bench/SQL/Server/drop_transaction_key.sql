-- A transaction id may belong to several grants.
alter table counterfoil.transaction_ids drop constraint one_grant_a_transaction_id
