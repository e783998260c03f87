-- Why orders are in review, by app, reason, product and version of the app.
--
-- $1 text  bundle id, or null
select
    c.reason, c.orders, c.customers, c.product_id, c.app_version, c.last_hour, c.rising, c.last_seen, c.first_seen, c.bundle_id, c.is_cut
from counterfoil.review_causes($1::text) c
