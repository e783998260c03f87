-- Lists an account whose sandbox purchases count.
--
-- $1 text  bundle id    $2 text  account
insert into counterfoil.sandbox_accounts (bundle_id, account_id) values ($1::text, $2::text) on conflict do nothing
