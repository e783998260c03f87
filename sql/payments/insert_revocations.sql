-- Records payments that Apple took back. What that means to orders and other payments follows: take_back_payments.sql,
-- release_restored_transactions.sql.
--
-- $1 text[]  bundle ids                  $5 text[]  web order line item ids, or null
-- $2 text[]  environments                $6 timestamptz[]  purchased at
-- $3 text[]  transaction ids             $7 timestamptz[]  revoked at
-- $4 text[]  original transaction ids
insert into counterfoil.revocations (
    bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, purchased_at, kind, occurred_at
)
select
    e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.web_order_line_item_id, e.purchased_at,
    'revocation', e.occurred_at
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[]) as e (
    bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, purchased_at, occurred_at
)
order by e.bundle_id, e.environment, e.transaction_id
on conflict do nothing
