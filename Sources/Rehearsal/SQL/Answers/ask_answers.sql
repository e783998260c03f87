-- What a backend is told of an account's uploads, transactions and subscriptions.
--
-- $1 int8[]  jobs    $2 text  account    $3 text[]  bundle ids    $4 text[]  environments    $5 text[]  transactions
-- $6 text[]  original transactions of subscriptions, or ''
select
    'upload' as subject, u.job_id, 0::bigint as place, s.state, s.reason, coalesce(s.client_action, '') as action,
    s.transaction_id
from unnest($1::bigint[]) as u (job_id)
cross join lateral counterfoil.upload_status(u.job_id, $2::text) s
union all
select 'transaction', 0, a.place, s.status, s.reason, s.client_action, s.transaction_id
from unnest($3::text[], $4::text[], $5::text[]) with ordinality as a (bundle_id, environment, transaction_id, place)
cross join lateral counterfoil.transaction_status_of(a.bundle_id, a.environment, a.transaction_id, $2::text) s
union all
select 'subscription', 0, a.place, s.status, null, '', s.transaction_id
from unnest($3::text[], $4::text[], $6::text[]) with ordinality as a (bundle_id, environment, original_transaction_id, place)
cross join lateral counterfoil.subscription_status_of(a.bundle_id, a.environment, a.original_transaction_id, $2::text) s
where a.original_transaction_id <> ''
