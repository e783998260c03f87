-- Wallets of accounts, which are locked in these ways.
--
-- $1 text[]  accounts    $2 text[]  the way of each
insert into shop.wallets (account_id, locking)
select w.account_id, w.locking from unnest($1::text[], $2::text[]) as w (account_id, locking)
