-- The products of an app, or of all, with their kinds.
--
-- $1 text  bundle id, or null    $2 text  products after this one, or null    $3 int4  the most to list
select p.bundle_id, p.product_id, p.kind, p.created_at
from counterfoil.products p
where ($1::text is null or p.bundle_id = $1::text) and ($2::text is null or p.product_id > $2::text)
order by p.bundle_id, p.product_id
limit $3::integer
