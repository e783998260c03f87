-- Orders, each with its upload, of customers who send something that is no proof.
--
-- $1 int8  first number    $2 int8  last number    $3 text[]  their apps, in turn
with ordered as (
    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
    select
        'churned-' || n, ($3::text[])[1 + n % cardinality($3::text[])], 'com.example.churned', 'account-' || n % 10007
    from generate_series($1::bigint, $2::bigint) as n
    returning order_id
)
insert into counterfoil.jobs (order_id, proof)
select o.order_id, rpad('eyJ ' || o.order_id || ' ', 64, '.') from ordered o
