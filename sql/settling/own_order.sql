-- The order that a payment was made for, where another order of the account showed it; no row where none is known:
--
-- - the youngest order of those that bear the payment's token, if all that bear it are of this account;
-- - without a token, the youngest open order without one, if the payment came within apps.own_order_window of it, and before the
--   order that shows it.
--
-- It is of the same app and product, of no more units than were paid, and it can still be paid. Whether something else stands against
-- the grant, against_grant says.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks. It is asked of
-- few payments only.
create or replace function counterfoil.own_order(
    shown_for text, by_account text, shown_order_made_at timestamptz, of_bundle text, of_product text, of_kind text, of_quantity integer,
    of_token uuid, paid_at timestamptz
)
returns table (order_id text)
language sql stable
begin atomic
    select w.order_id
    from (
        (
            select o.order_id
            from counterfoil.orders o
            join counterfoil.apps a on a.bundle_id = o.bundle_id
            where o.app_account_token = of_token and o.bundle_id = of_bundle and o.product_id = of_product
                and o.quantity <= of_quantity and o.order_id <> shown_for
                and o.state in ('open', 'rejected', 'review')
                and (o.recovery or o.created_at <= paid_at + a.purchase_time_tolerance)
                and (select t.account_id from counterfoil.account_of_token(of_bundle, of_token) t) = by_account
            order by o.created_at desc, o.order_id
            limit 1
        )
        union all
        (
            select o.order_id
            from counterfoil.orders o
            join counterfoil.apps a on a.bundle_id = o.bundle_id
            where of_token is null and paid_at < shown_order_made_at
                and o.account_id = by_account and o.product_id = of_product
                and o.created_at <= paid_at and o.created_at >= paid_at - a.own_order_window
                and o.bundle_id = of_bundle and o.quantity <= of_quantity and o.app_account_token is null and o.state = 'open'
            order by o.created_at desc, o.order_id
            limit 1
        )
    ) w
    -- Whatever the order says of itself.
    where (select true from counterfoil.payments p where p.order_id = any (array[w.order_id])) is null
        -- Apple's kind differs from the listed one: an operator decides.
        and coalesce(
            (
                select p.kind from counterfoil.products p
                where p.bundle_id = of_bundle and p.product_id = of_product
            ) = of_kind, true
        )
    offset 0;
end;
comment on function counterfoil.own_order(text, text, timestamptz, text, text, text, integer, uuid, timestamptz) is
    'Private: the order that a payment was made for, where another order of the account showed it.';
grant execute on function counterfoil.own_order(text, text, timestamptz, text, text, text, integer, uuid, timestamptz)
    to counterfoil_worker, counterfoil_support;
