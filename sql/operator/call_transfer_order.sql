-- Makes an order that was paid another account's.
--
-- $1 text  order    $2 text  account    $3 text  who    $4 text  why
select t.is_new, t.from_account, t.account_now from counterfoil.transfer_order($1::text, $2::text, $3::text, $4::text) t
