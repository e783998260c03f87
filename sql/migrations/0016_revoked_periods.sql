-- A subscription's period that was taken back is known under any id; a payment that was kept without a word of its subscription
-- turns out to renew one.

set local role counterfoil_owner;

-- The billing event of a period, stable over devices and restores; null where Apple named none.
alter table counterfoil.revocations add column web_order_line_item_id text collate "C";
-- One that was recorded without it, before or by a former program, is recorded again with it. Refunds are few: this takes a moment.
alter table counterfoil.revocations
    drop constraint one_entry_a_revocation,
    add constraint one_entry_a_revocation unique nulls not distinct
        (bundle_id, transaction_id, environment, kind, occurred_at, web_order_line_item_id);

-- So a row may move, where 0014 says that nothing moves it: under the lock of its payment (lock_payments.sql), as those hold it
-- who tell rows by their places.
grant update (reason) on counterfoil.unclaimed_transactions to counterfoil_worker;
