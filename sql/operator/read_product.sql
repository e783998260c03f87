-- The listed kind of a product, and how many products its app has.
--
-- $1 text  bundle id    $2 text  product
select
    (select p.kind from counterfoil.products p where p.bundle_id = $1::text and p.product_id = $2::text) as kind,
    exists (select from counterfoil.products p where p.bundle_id = $1::text) as lists_products
