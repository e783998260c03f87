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
do $$
declare
    setting text;
begin
    foreach setting in array array[
        'search_path to pg_catalog, pg_temp', 'statement_timeout to ''30s''', 'lock_timeout to ''5s''',
        'idle_in_transaction_session_timeout to ''10s''', 'plan_cache_mode to force_generic_plan', 'jit to off',
        'enable_bitmapscan to off', 'enable_seqscan to off', 'default_transaction_isolation to ''read committed'''
    ]
    loop
        execute format('alter role counterfoil_worker in database %I set %s', current_database(), setting);
    end loop;
end
$$;
