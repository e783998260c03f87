-- The goods and the function of a shop, as sql/docs/delivering.md has them. A script, by the shop's role.

create table shop.goods (
    bundle_id text,
    environment text,
    transaction_id text,
    order_id text not null,
    coins integer not null,
    taken_back integer not null default 0,
    primary key (bundle_id, environment, transaction_id)
);
create index on shop.goods (order_id);
create table shop.balances (account_id text primary key, coins integer not null);

create function shop.on_change(c counterfoil.change) returns void
language plpgsql
as $$
declare
    -- Coins to add to the account's balance; negative where they are taken back.
    moved integer;
begin
    if c.kind = 'order_fulfilled' then
        insert into shop.goods (bundle_id, environment, transaction_id, order_id, coins)
        values (c.bundle_id, c.environment, c.transaction_id, c.order_id, 100 * c.quantity)
        on conflict do nothing
        returning coins into moved;
    elsif c.kind in ('order_refunded', 'order_partly_refunded', 'refund_reversed') then
        -- The share is that of all refunds so far. It is null where Apple leaves open how much: then nothing changes.
        update shop.goods g
        set taken_back = r.after
        from (
            select
                b.order_id, b.taken_back as before,
                case c.kind
                    when 'order_refunded' then b.coins
                    when 'refund_reversed' then 0
                    else coalesce(floor(b.coins * c.refunded_share / 100), b.taken_back)
                end as after
            from shop.goods b
            where b.order_id = c.order_id
        ) r
        where g.order_id = r.order_id
        returning r.before - r.after into moved;
    end if;
    if moved <> 0 then
        insert into shop.balances as b (account_id, coins)
        values (c.account_id, moved)
        on conflict (account_id) do update set coins = b.coins + excluded.coins;
    end if;
end
$$;
