-- Other accounts that the same Apple customer was seen with.
--
-- $1 text  account
select a.account_id, a.bundle_id from counterfoil.customer_accounts($1::text) a
