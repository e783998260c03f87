-- Orders of customers who will upload something that is no proof; of the apps that verify by signature alone, in turn.
--
-- $1 int8  first number    $2 int8  last number
insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
select 'churned-' || n, g.bundle_id, 'com.example.churned', 'account-' || n % 10007
from generate_series($1::bigint, $2::bigint) as n
join (
    select g.bundle_id, row_number() over (order by g.bundle_id) - 1 as place, count(*) over () as apps
    from counterfoil.gates g
    join counterfoil.apps a on a.bundle_id = g.bundle_id and a.confirm_after is null
    where g.route = 'local'
) g on g.place = n % g.apps
