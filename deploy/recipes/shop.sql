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
    -- Null: a renewal that no order was made for.
    order_id text,
    account_id text not null,
    product_id text not null,
    quantity integer not null,
    refunded_share numeric default 0,
    primary key (bundle_id, environment, transaction_id)
);
create index on shop.deliveries (order_id);
create index on shop.deliveries (account_id);

-- Where each subscription is: the newest details of subscription_changed.
create table shop.subscriptions (
    bundle_id text,
    environment text,
    original_transaction_id text,
    state jsonb not null,
    primary key (bundle_id, environment, original_transaction_id)
);

-- The key is the payment: a change that comes again changes nothing.
create function shop.on_change(c counterfoil.change) returns void
language plpgsql
as $$
declare
    -- A period that is called otherwise now: it is this account's, or nobody's.
    is_owned boolean := coalesce(c.details #>> '{after,name}' in ('renewal', 'granted'), false);
    old_name text;
    new_name text;
begin
    if c.kind in ('order_fulfilled', 'subscription_renewed') or is_owned then
        insert into shop.deliveries (
            bundle_id, environment, transaction_id, order_id, account_id, product_id, quantity, refunded_share
        )
        values (
            c.bundle_id, c.environment, c.transaction_id, c.order_id, c.account_id, c.product_id, c.quantity,
            coalesce(c.refunded_share, 0)
        )
        on conflict (bundle_id, environment, transaction_id) do update
        set account_id = excluded.account_id, order_id = excluded.order_id;
    elsif c.kind in (
        'order_refunded', 'order_partly_refunded', 'refund_reversed', 'payment_refunded', 'payment_refund_reversed'
    ) then
        update shop.deliveries d
        set refunded_share = case
            when c.kind = 'order_refunded' then 100
            when c.kind in ('refund_reversed', 'payment_refund_reversed') then 0
            else c.refunded_share
        end
        where (d.bundle_id, d.environment, d.transaction_id) = (c.bundle_id, c.environment, c.transaction_id);
    elsif c.kind = 'order_transferred' then
        update shop.deliveries d
        set account_id = c.account_id
        where (d.bundle_id, d.environment, d.transaction_id) = (c.bundle_id, c.environment, c.transaction_id);
    elsif c.kind in ('account_moved', 'account_forgotten') then
        -- In all that the shop has.
        old_name := coalesce(c.details ->> 'from_account', c.account_id);
        new_name := coalesce(c.details ->> 'to_account', c.details ->> 'pseudonym');
        update shop.deliveries d set account_id = new_name where d.account_id = old_name;
        update shop.subscriptions s
        set state = jsonb_set(s.state, '{account_id}', to_jsonb(new_name))
        where s.state ->> 'account_id' = old_name;
    elsif c.kind = 'payment_renamed' then
        delete from shop.deliveries d
        where (d.bundle_id, d.environment, d.transaction_id) = (c.bundle_id, c.environment, c.transaction_id);
    elsif c.kind = 'subscription_changed' then
        insert into shop.subscriptions (bundle_id, environment, original_transaction_id, state)
        values (c.bundle_id, c.environment, c.details ->> 'original_transaction_id', c.details)
        on conflict (bundle_id, environment, original_transaction_id) do update
        set state = excluded.state;
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
