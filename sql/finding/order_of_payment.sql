-- The order that a payment was made for, whose client didn't show it: no row where none is known. Apple's customer isn't the shop's account:
-- two accounts may share a phone. So it is
--
-- - the youngest order that bears the payment's token, if all that bear it are of one account: also where the payment renews a subscription;
-- - else the youngest open order of the account that the token names;
-- - without a token the open order of the customer's account, if the customer was seen with no other, and exactly one order fits, which was
--   made at most apps.own_order_window before the payment. It waits an hour for its client (waits_until). The window bounds what the ledger
--   doesn't know: a receipt doesn't name Apple's customer, so that the customer may have been at the shop with another account.
--
-- The order is of the payment's product, of no more units than were paid, made before the payment, and may be paid in the payment's
-- environment. Whether something else stands against the grant, the attempt finds out.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks. The payment is
-- looked up by its id, and not among all that aren't granted.
create or replace function counterfoil.order_of_payment(of_id text, of_bundle text, of_environment text)
returns table (order_id text, why text, waits_until timestamptz)
language sql stable
begin atomic
    select w.order_id, w.why, nullif(greatest(w.waits_until, now()), now())
    from (
        select p.* from counterfoil.payments p
        where p.transaction_id = of_id and p.bundle_id = of_bundle and p.environment = of_environment
        offset 0
    ) p
    join counterfoil.apps a on a.bundle_id = p.bundle_id
    -- The account that the token speaks for; without a token the only one that the customer was seen with.
    cross join lateral (
        select case
            when p.app_account_token is not null then (
                select t.account_id from counterfoil.account_of_token(of_bundle, p.app_account_token) t
            )
            else (
                select min(k.account_id)
                from counterfoil.accounts_of_customer(of_bundle, of_environment, of_id, p.original_transaction_id) k
                having count(*) = 1
            )
        end as account_id
        offset 0
    ) c
    cross join lateral (
        (
            select o.order_id, 'its token names the order' as why, '-infinity'::timestamptz as waits_until, 1 as rank, o.created_at
            from counterfoil.orders o
            where o.app_account_token = p.app_account_token and o.bundle_id = of_bundle and o.account_id = c.account_id
                and o.product_id = p.product_id and o.quantity <= p.quantity and o.state in ('open', 'rejected', 'review')
                and (o.recovery or o.created_at <= p.purchased_at + a.purchase_time_tolerance)
            order by o.created_at desc, o.order_id
            limit 1
        )
        union all
        (
            select o.order_id, 'its token names the account', '-infinity', 2, o.created_at
            from counterfoil.orders o
            where p.app_account_token is not null and o.account_id = c.account_id and o.product_id = p.product_id
                and o.bundle_id = of_bundle and o.quantity <= p.quantity and o.state = 'open'
                and o.created_at <= p.purchased_at
            order by o.created_at desc, o.order_id
            limit 1
        )
        union all
        (
            select min(o.order_id), 'its customer has one account, and one order fits', p.purchased_at + interval '1 hour', 3,
                min(o.created_at)
            from (
                select o.order_id, o.created_at
                from counterfoil.orders o
                where p.app_account_token is null and o.account_id = c.account_id and o.product_id = p.product_id
                    and o.bundle_id = of_bundle and o.quantity <= p.quantity and o.state = 'open' and o.app_account_token is null
                    and o.created_at <= p.purchased_at
                limit 2
            ) o
            having count(*) = 1 and min(o.created_at) >= p.purchased_at - a.own_order_window
        )
        order by 4
        limit 1
    ) w
    join counterfoil.order_facts f on f.order_id = any (array[w.order_id])
    -- Asked last: of most payments no order is known.
    cross join lateral (
        select s.state from counterfoil.payment_states s
        where w.order_id is not null and s.transaction_id = of_id and s.bundle_id = of_bundle and s.environment = of_environment
        offset 0
    ) s
    where (p.reason = 'no_order' and s.state = 'unclaimed' or w.rank = 1 and s.state = 'renewal')
        and (of_environment = 'production' or f.allows_sandbox)
        and (select true from counterfoil.payments g where g.order_id = any (array[w.order_id])) is null
    offset 0;
end;
comment on function counterfoil.order_of_payment(text, text, text) is
    'Private: the order that a payment was made for, whose client didn''t show it.';
grant execute on function counterfoil.order_of_payment(text, text, text) to counterfoil_worker, counterfoil_support;
