-- What the ledger holds of transactions that Apple showed to an operator, and up to three orders, not fulfilled, that each may have
-- been made for: those that bear its token, and those of the accounts that its token names or that its customer was seen with.
-- orders_near: orders of its product that were made around its time, whoever's.
--
-- $1 text[]  transaction ids           $5 int4[]  quantities
-- $2 text[]  original ids              $6 timestamptz[]  when they were purchased
-- $3 text    bundle id                 $7 timestamptz[]  when they were refunded; null: they weren't
-- $4 text[]  products                  $8 uuid[]  tokens
select
    e.transaction_id, e.product_id, e.quantity, e.purchased_at, e.refunded_at, coalesce(s.state, 'not seen') as state,
    (select o.order_id from counterfoil.orders o where o.number = s.order_number) as order_id,
    (
        select string_agg(w.order_id, ' ' order by w.created_at desc, w.order_id)
        from (
            select o.order_id, o.created_at
            from counterfoil.orders o
            where s.order_number is null and o.bundle_id = $3::text and o.product_id = e.product_id and o.quantity <= e.quantity
                and o.state not in ('fulfilled', 'refunded')
                and (
                    o.app_account_token = e.token
                    or o.account_id = any (
                        array(
                            select w.account_id
                            from (
                                select t.account_id from counterfoil.account_of_token($3::text, e.token) t
                                union
                                select n.account_id
                                from counterfoil.accounts_of_customer($3::text, 'production', e.transaction_id, e.original_id) k
                                cross join lateral counterfoil.account_now(k.account_id) n
                            ) a
                            cross join lateral counterfoil.accounts_of(a.account_id) w
                        )
                    )
                )
            order by o.created_at desc, o.order_id
            limit 3
        ) w
    ) as orders_that_fit,
    -- For a person: nothing but the product and the time speaks for them.
    (
        select string_agg(n.order_id, ' ')
        from counterfoil.orders_around($3::text, e.product_id, e.quantity, e.purchased_at, 5) n
        where s.order_number is null
    ) as orders_near
from unnest(
    $1::text[], $2::text[], $4::text[], $5::integer[], $6::timestamptz[], $7::timestamptz[], $8::uuid[]
) as e (transaction_id, original_id, product_id, quantity, purchased_at, refunded_at, token)
left join counterfoil.payment_states s
    on s.transaction_id = e.transaction_id and s.bundle_id = $3::text and s.environment = 'production'
order by e.purchased_at, e.transaction_id
