-- The order that a payment was made for, best rank first; no row where none is known:
--
-- - rank 1: the youngest order of those that bear the payment's token, if all that bear it are of this account;
-- - rank 2, where no client showed it: the youngest open order of the account, which its token names, made before the payment;
-- - rank 3, where a client showed it, and without a token: the youngest open order without one, if the payment came within
--   apps.own_order_window of it, and before the order that shows it.
--
-- A payment that only Apple told, and that bears no token, is kept for its client or an operator. Apple's customer isn't the shop's
-- account: two accounts may share a phone, and a stolen proof names somebody else's customer.
--
-- It is of the same app and product, of no more units than were paid, and it can still be paid. Whether something else stands
-- against the grant, payment_facts says.
--
-- by_account: the account, as it is now, of the order that shows the payment (shown_for, made at shown_order_made_at); or the
-- account that its token speaks for (account_of_token), with shown_for null.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks. It is asked
-- of few payments only.
create or replace function counterfoil.orders_for_payment(
    of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamptz, by_account text,
    shown_for text, shown_order_made_at timestamptz
)
returns table (order_id text, rank integer, why text)
language sql stable
begin atomic
    select w.order_id, w.rank, w.why
    from (
        (
            select o.order_id, o.number, 1 as rank, 'its token names the order' as why
            from counterfoil.orders o
            join counterfoil.apps a on a.bundle_id = o.bundle_id
            where o.app_account_token = of_token and o.bundle_id = of_bundle and o.product_id = of_product
                and o.quantity <= of_quantity and o.order_id is distinct from shown_for
                and counterfoil.waits_for_payment(o.state)
                and (o.recovery or o.created_at <= paid_at + a.purchase_time_tolerance)
                and (select t.account_id from counterfoil.account_of_token(of_bundle, of_token) t) = by_account
            order by o.created_at desc, o.order_id
            limit 1
        )
        union all
        (
            select w.order_id, w.number, 2, 'its token names the account'
            from counterfoil.accounts_of(by_account) k
            cross join lateral (
                select o.order_id, o.number, o.created_at
                from counterfoil.orders o
                where shown_for is null and of_token is not null and o.account_id = k.account_id and o.product_id = of_product
                    and o.bundle_id = of_bundle and o.quantity <= of_quantity and o.state = 'open' and o.created_at <= paid_at
                order by o.created_at desc, o.order_id
                limit 1
            ) w
            order by w.created_at desc, w.order_id
            limit 1
        )
        union all
        (
            select w.order_id, w.number, 3, 'the youngest of the account that fits'
            from counterfoil.accounts_of(by_account) k
            cross join lateral (
                select o.order_id, o.number, o.created_at
                from counterfoil.orders o
                join counterfoil.apps a on a.bundle_id = o.bundle_id
                where of_token is null and paid_at < shown_order_made_at
                    and o.account_id = k.account_id and o.product_id = of_product
                    and o.created_at <= paid_at and o.created_at >= paid_at - a.own_order_window
                    and o.bundle_id = of_bundle and o.quantity <= of_quantity and o.app_account_token is null and o.state = 'open'
                order by o.created_at desc, o.order_id
                limit 1
            ) w
            order by w.created_at desc, w.order_id
            limit 1
        )
        order by 3
        limit 1
    ) w
    -- Whatever the order says of itself.
    where (select true from counterfoil.payments p where p.order_number = any (array[w.number])) is null
        -- Apple's kind differs from the listed one: an operator decides.
        and coalesce(
            (
                select p.kind from counterfoil.products p
                where p.bundle_id = of_bundle and p.product_id = of_product
            ) = of_kind, true
        )
    offset 0;
end;
comment on function counterfoil.orders_for_payment(text, text, text, integer, uuid, timestamptz, text, text, timestamptz) is
    'Private: the order that a payment was made for, where another order showed it, or none.';
grant execute on function counterfoil.orders_for_payment(text, text, text, integer, uuid, timestamptz, text, text, timestamptz)
    to counterfoil_worker, counterfoil_support;
