-- The shop's own work: it locks all balances, against the order in which a page of changes may lock them. By the shop's role.
do $$
declare
    account text;
begin
    for account in select b.account_id from shop.balances b order by b.account_id desc loop
        update shop.balances b set coins = b.coins where b.account_id = account;
        perform pg_sleep(0.02);
    end loop;
end
$$
