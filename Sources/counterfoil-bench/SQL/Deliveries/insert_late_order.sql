-- An order that a change is told of late, which its version counts; nobody pays for it.
insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, version)
select 'late-1', a.bundle_id, 'coins.100', 'late', 1 from counterfoil.apps a order by a.bundle_id limit 1
