-- A transaction id may be granted to several orders. Statements that name the constraint find one.
alter table counterfoil.payments
    drop constraint one_grant_a_transaction_id,
    add constraint one_grant_a_transaction_id unique (transaction_id, bundle_id, environment, order_number)
