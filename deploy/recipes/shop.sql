-- SPDX-License-Identifier: Apache-2.0
-- A shop whose goods are in Counterfoil's database: `counterfoil deliver` calls shop.on_change for each change. A superuser runs
-- this, in that database.
create role shop_backend login;
grant counterfoil_backend to shop_backend;
create schema shop authorization shop_backend;
set role shop_backend;

-- refunded_share: 0 is nothing, 100 is the whole. Null is a part of unknown size.
create table shop.deliveries (
    bundle_id text,
    environment text,
    transaction_id text,
    order_id text not null,
    account_id text not null,
    product_id text not null,
    quantity integer not null,
    refunded_share numeric default 0,
    primary key (bundle_id, environment, transaction_id)
);
create index on shop.deliveries (order_id);

-- The key is the payment: a change that comes again changes nothing.
create function shop.on_change(c counterfoil.change) returns void
language plpgsql
as $$
begin
    if c.kind = 'order_fulfilled' then
        insert into shop.deliveries (bundle_id, environment, transaction_id, order_id, account_id, product_id, quantity)
        values (c.bundle_id, c.environment, c.transaction_id, c.order_id, c.account_id, c.product_id, c.quantity)
        on conflict do nothing;
    elsif c.kind in ('order_refunded', 'order_partly_refunded', 'refund_reversed') then
        update shop.deliveries d
        set refunded_share = case c.kind when 'order_refunded' then 100 when 'refund_reversed' then 0 else c.refunded_share end
        where d.order_id = c.order_id;
    end if;
end
$$;

-- What the client does next. The goods come a moment after the grant: until then, finish is held back. The order that was granted
-- the payment may be another one of the account.
create function shop.poll(of_order text, of_account text)
returns table (state text, reason text, client_action text, transaction_id text)
language sql stable
as $$
    select
        s.state, s.reason,
        case
            when s.client_action = 'finish' and t.status = 'granted'
                and not exists (select from shop.deliveries d where d.order_id = t.order_id)
                then 'wait'
            else s.client_action
        end,
        s.transaction_id
    from counterfoil.order_status_of(of_order, of_account) s
    left join lateral counterfoil.transaction_status_of(s.bundle_id, s.environment, s.transaction_id, s.account_id) t on true
$$;

reset role;
