-- The accounts under which something of an account may be written: its own, and those that were moved to it; none for one that was
-- moved itself. Part of the statements that call it, like a view.
create or replace function counterfoil.accounts_of(of_account text) returns table (account_id text)
language sql stable
begin atomic
    select of_account collate "C" as account_id
    where (select true from counterfoil.moved_accounts m where m.account_id = of_account) is null
    union all
    select m.account_id from counterfoil.moved_accounts m where m.account_now = of_account;
end;
comment on function counterfoil.accounts_of(text) is 'Private: an account, and those that were moved to it.';
grant execute on function counterfoil.accounts_of(text) to counterfoil_worker, counterfoil_support;
