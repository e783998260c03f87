-- Where orders are, as the client of each is told; one row an order that its account has.
--
-- $1 text[]  orders    $2 text[]  their accounts
select s.order_id, s.state, s.reason, s.client_action, s.transaction_id, s.environment,
    s.next_attempt_at is not null as is_pending, coalesce(s.job_id, 0) as job_id
from unnest($1::text[], $2::text[]) as asked (order_id, account_id)
cross join lateral counterfoil.order_status_of(asked.order_id, asked.account_id) s
