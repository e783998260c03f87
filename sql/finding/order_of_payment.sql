-- The order that a payment was made for, whose client didn't show it: no row where none is known. Only the payment's token names it:
--
-- - the youngest order that bears the token, if all that bear it are of one account: also where the payment renews a subscription;
-- - else the youngest open order of the account that the token names.
--
-- A payment without a token is kept for its client or an operator. Apple's customer isn't the shop's account: two accounts may share a
-- phone, and a stolen proof names somebody else's customer.
--
-- The order is of the payment's product, of no more units than were paid, made before the payment, and may be paid in the payment's
-- environment. Whether something else stands against the grant, the attempt finds out.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks. The payment is
-- looked up by its id, and not among all that aren't granted.
create or replace function counterfoil.order_of_payment(of_id text, of_bundle text, of_environment text)
returns table (order_id text, why text)
language sql stable
begin atomic
    select w.order_id, w.why
    from (
        select p.* from counterfoil.payments p
        where p.transaction_id = of_id and p.bundle_id = of_bundle and p.environment = of_environment
        offset 0
    ) p
    join counterfoil.apps a on a.bundle_id = p.bundle_id
    -- The account that the token speaks for.
    cross join lateral (
        select t.account_id from counterfoil.account_of_token(of_bundle, p.app_account_token) t
        where p.app_account_token is not null
        offset 0
    ) c
    cross join lateral (
        (
            select o.order_id, 'its token names the order' as why, 1 as rank, o.created_at
            from counterfoil.orders o
            where o.app_account_token = p.app_account_token and o.bundle_id = of_bundle and o.account_id = c.account_id
                and o.product_id = p.product_id and o.quantity <= p.quantity and o.state in ('open', 'rejected', 'review')
                and (o.recovery or o.created_at <= p.purchased_at + a.purchase_time_tolerance)
            order by o.created_at desc, o.order_id
            limit 1
        )
        union all
        (
            select o.order_id, 'its token names the account', 2, o.created_at
            from counterfoil.orders o
            where p.app_account_token is not null and o.account_id = c.account_id and o.product_id = p.product_id
                and o.bundle_id = of_bundle and o.quantity <= p.quantity and o.state = 'open'
                and o.created_at <= p.purchased_at
            order by o.created_at desc, o.order_id
            limit 1
        )
        order by rank
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
