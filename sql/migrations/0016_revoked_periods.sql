-- A subscription's period that was taken back is known under any id; a payment that was kept without a word of its subscription
-- turns out to renew one.

set local role counterfoil_owner;

-- The billing event of a period, stable over devices and restores; null where Apple named none.
alter table counterfoil.revocations add column web_order_line_item_id text collate "C";

-- So a row may move, where 0014 says that nothing moves it: under the lock of its payment (lock_payments.sql), as those hold it
-- who tell rows by their places.
grant update (reason) on counterfoil.unclaimed_transactions to counterfoil_worker;
