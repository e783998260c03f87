-- Products of apps.
--
-- $1 text[]  bundle ids    $2 text[]  products    $3 text[]  kinds
insert into counterfoil.products (bundle_id, product_id, kind)
select * from unnest($1::text[], $2::text[], $3::text[])
