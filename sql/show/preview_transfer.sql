-- What a transfer of an order would do: whose it is, whose it would be, and how many later periods of its subscription, which no
-- order has, would follow it.
--
-- $1 text  order    $2 text  account
select
    o.order_id, o.state, o.product_id, g.transaction_id, n.account_id as from_account, t.account_id as to_account,
    p.is_known as to_account_is_known, g.transaction_id is not null as is_paid,
    (
        select count(*) from counterfoil.payments l
        where g.product_kind = 'auto_renewable' and l.original_transaction_id = g.original_transaction_id
            and l.bundle_id = g.bundle_id and l.environment = g.environment
            and l.original_transaction_id <> l.transaction_id and l.purchased_at > g.purchased_at and l.order_number is null
    ) as periods_that_follow
from counterfoil.orders o
cross join lateral counterfoil.account_now(o.account_id, o.number) n
cross join lateral counterfoil.account_now($2::text) t
cross join lateral counterfoil.preview_of_account(t.account_id) p
left join lateral (select * from counterfoil.payments g where g.order_number = o.number offset 0) g on true
where o.order_id = $1::text
