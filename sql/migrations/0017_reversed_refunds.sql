-- A refund that is reversed leaves nothing out of sight: what it took from the unclaimed payments is there again, and an order that
-- it leaves to a person is listed as such.

set local role counterfoil_owner;

create table counterfoil.revoked_unclaimed_transactions (
    like counterfoil.unclaimed_transactions,
    primary key (bundle_id, original_transaction_id, transaction_id, environment)
);
comment on table counterfoil.revoked_unclaimed_transactions is
    'Payments that were taken back while they were unclaimed. A row becomes unclaimed again when that is reversed.';
grant select, insert, delete on counterfoil.revoked_unclaimed_transactions to counterfoil_worker;
grant select on counterfoil.revoked_unclaimed_transactions to counterfoil_reader;

grant insert on counterfoil.orders_in_review to counterfoil_worker;

comment on column counterfoil.apps.apple_app_id is 'Unused: nothing that Apple signs of a purchase names it.';
