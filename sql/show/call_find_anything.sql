-- All that an id names, by kind.
--
-- $1 text  the id
select f.kind, f.id, f.state, f.at, f.order_id, f.account_id, f.product_id, f.bundle_id, f.environment
from counterfoil.find_anything($1::text) f
