-- The account that an app account token speaks for: that of every order which bears it, by the accounts that they were made with,
-- and by moves; no row where orders of two accounts do. A transferred order leaves its token to the account that made it.
--
-- Part of the statements that call it, like a view. Two look-ups: the smallest and the largest account.
create or replace function counterfoil.account_of_token(of_bundle text, token uuid) returns table (account_id text)
language sql stable
begin atomic
    select s.account_id
    from (
        select o.account_id from counterfoil.orders o
        where o.app_account_token = token and o.bundle_id = of_bundle
        order by o.account_id
        limit 1
    ) smallest
    cross join lateral (
        select o.account_id from counterfoil.orders o
        where o.app_account_token = token and o.bundle_id = of_bundle
        order by o.account_id desc
        limit 1
    ) largest
    cross join lateral counterfoil.account_now(smallest.account_id) s
    where smallest.account_id = largest.account_id
        or s.account_id = (select n.account_id from counterfoil.account_now(largest.account_id) n)
        and counterfoil.bears_one_account(of_bundle, token, smallest.account_id);
end;
comment on function counterfoil.account_of_token(text, uuid) is 'Private: the account that an app account token speaks for.';
grant execute on function counterfoil.account_of_token(text, uuid) to counterfoil_worker, counterfoil_support;
