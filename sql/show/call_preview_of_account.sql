-- What an account has, in numbers.
--
-- $1 text  account
select
    p.is_known, p.account_now, p.orders, p.paid_orders, p.open_orders, p.pending_jobs, p.unclaimed_payments, p.moved_accounts
from counterfoil.preview_of_account($1::text) p
