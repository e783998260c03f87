-- Orders of the first app, for a connection that skips triggers.
--
-- $1 int8  how many
insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
select 'future-' || n, (select min(a.bundle_id) from counterfoil.apps a), 'com.example.future', 'account-' || n % 10007
from generate_series(0, $1::bigint - 1) as n
