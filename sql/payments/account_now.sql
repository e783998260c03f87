-- Whose something is now that was written with an account: of an order, or of the payment that it was granted, the account that it
-- was transferred to; and of a moved account the one that it was moved to. The one place that follows moves: each comparison of
-- accounts asks it on both sides, and rows are written with the account that the shop named.
--
-- Part of the statements that call it, like a view: two look-ups in tables that are usually empty. Views that backends and readers
-- read write it out, since a function would look with their rights.
create or replace function counterfoil.account_now(of_account text, of_order bigint default null) returns table (account_id text)
language sql stable
begin atomic
    select coalesce((select m.account_now from counterfoil.moved_accounts m where m.account_id = a.account_id), a.account_id)
    from (
        select coalesce(
            (select t.account_id from counterfoil.moved_orders t where t.order_number = of_order), of_account
        ) collate "C" as account_id
    ) a;
end;
comment on function counterfoil.account_now(text, bigint) is 'Private: whose something is now that was written with an account.';
grant execute on function counterfoil.account_now(text, bigint) to counterfoil_worker, counterfoil_support;
