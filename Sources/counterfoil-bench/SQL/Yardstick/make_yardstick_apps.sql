-- The bench's apps, products and gates in the yardstick, and the settings that the worker's role had in its database.
insert into counterfoil.apps (bundle_id) select 'com.example.bench' || n from generate_series(1, 4) as n;
insert into counterfoil.products (bundle_id, product_id, kind)
select a.bundle_id, p.product_id, p.kind
from counterfoil.apps a
cross join (values ('coins', 'consumable'), ('map', 'non_consumable')) as p (product_id, kind);
insert into counterfoil.gates (bundle_id, route, environment)
select a.bundle_id, r.route, r.environment
from counterfoil.apps a
cross join (
    values
        ('local', null), ('verify_receipt', 'production'), ('verify_receipt', 'sandbox'), ('server_api', 'production'),
        ('server_api', 'sandbox'), ('finish_transaction', 'production'), ('finish_transaction', 'sandbox')
) as r (route, environment)
order by a.bundle_id, r.route, r.environment;
