-- Holds the wallets of accounts until the end of this database transaction, as a shop's own work does.
--
-- $1 text[]  accounts
update shop.wallets w set coins = w.coins where w.account_id = any ($1::text[])
