-- The account that a moved one is now; no row: it wasn't moved.
--
-- $1 text  account
select m.account_now from counterfoil.moved_accounts m where m.account_id = $1::text
