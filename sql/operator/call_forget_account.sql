-- Forgets an account.
--
-- $1 text  account    $2 text  who    $3 text  why
select f.pseudonym, f.orders, f.payments, f.proofs, f.cancelled from counterfoil.forget_account($1::text, $2::text, $3::text) f
