-- A shop in the same database, whose function delivers each grant: it keeps a wallet an account.
--
-- The wallet says how it is locked: 'wait' waits as long as the settlement may; 'nowait' and 'timeout' are refused at once where
-- somebody else has the wallet.

create schema shop;
create table shop.wallets (
    account_id text primary key,
    coins bigint not null default 0,
    locking text not null default 'wait' check (locking in ('wait', 'nowait', 'timeout'))
);
create table shop.deliveries (order_id text primary key, account_id text not null, quantity integer not null);

create function shop.deliver(d counterfoil.delivery) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    locking text;
begin
    insert into shop.wallets (account_id) values (d.account_id) on conflict do nothing;
    select w.locking into locking from shop.wallets w where w.account_id = d.account_id;
    case locking
        when 'nowait' then perform from shop.wallets w where w.account_id = d.account_id for update nowait;
        when 'timeout' then perform set_config('lock_timeout', '1ms', true);
        else null;
    end case;
    update shop.wallets w set coins = w.coins + d.quantity where w.account_id = d.account_id;
    insert into shop.deliveries (order_id, account_id, quantity) values (d.order_id, d.account_id, d.quantity);
end
$$;
grant usage on schema shop to counterfoil_delivery;

select counterfoil.deliver_by('shop.deliver');
