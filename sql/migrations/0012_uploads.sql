-- What an upload showed. Serves upload_status, and order_status of a cancelled order.

set local role counterfoil_owner;

-- The transactions that the proof showed, the latest purchases first: at most 100. Null where it showed none besides
-- transaction_id, and of attempts by a program that didn't know of it.
alter table counterfoil.other_attempts add column shown_transaction_ids text[] collate "C";
