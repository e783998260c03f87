-- What clients are told of transactions that they still hold unfinished.
--
-- $1 text[]  bundle ids    $2 text[]  transactions
select t.bundle_id, t.environment, t.transaction_id, t.client_action
from unnest($1::text[], $2::text[]) as asked (bundle_id, transaction_id)
join counterfoil.transaction_status t
    on t.bundle_id = asked.bundle_id and t.transaction_id = asked.transaction_id
