-- The account that an app account token speaks for: that of every order which bears it; no row where orders of two accounts do.
--
-- Part of the statements that call it, like a view. Two look-ups: the smallest and the largest account.
create or replace function counterfoil.account_of_token(of_bundle text, token uuid) returns table (account_id text)
language sql stable
begin atomic
    select smallest.account_id
    from (
        select o.account_id from counterfoil.orders o
        where o.app_account_token = token and o.bundle_id = of_bundle
        order by o.account_id
        limit 1
    ) smallest
    where smallest.account_id = (
        select o.account_id from counterfoil.orders o
        where o.app_account_token = token and o.bundle_id = of_bundle
        order by o.account_id desc
        limit 1
    );
end;
comment on function counterfoil.account_of_token(text, uuid) is 'Private: the account that an app account token speaks for.';
grant execute on function counterfoil.account_of_token(text, uuid) to counterfoil_worker, counterfoil_support;
