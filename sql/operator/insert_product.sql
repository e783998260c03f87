-- Adds a product of an app, or changes its kind.
--
-- $1 text  bundle id    $2 text  product    $3 text  kind
insert into counterfoil.products (bundle_id, product_id, kind)
values ($1::text, $2::text, $3::text)
on conflict (bundle_id, product_id) do update set kind = excluded.kind
returning xmax = 0 as is_new
