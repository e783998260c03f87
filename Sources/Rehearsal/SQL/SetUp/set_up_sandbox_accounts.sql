-- Accounts whose sandbox purchases count.
--
-- $1 text[]  bundle ids    $2 text[]  accounts
insert into counterfoil.sandbox_accounts (bundle_id, account_id)
select * from unnest($1::text[], $2::text[])
