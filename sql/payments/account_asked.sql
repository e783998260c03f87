-- The account that a backend means by the one that it names. For thirty days a moved account is answered as the one that it was
-- moved to; then it has nothing any more.
--
-- | Limit | Default | |
-- |---|---|---|
-- | grace | 30 days | for which the old account is answered, from its move on: clients are signed in with it |
--
-- Part of the statements that call it, like a view, with the rights of their callers.
create or replace function counterfoil.account_asked(of_account text, grace interval default interval '30 days')
returns table (account_id text)
language sql stable
begin atomic
    select coalesce(
        (
            select m.account_now from counterfoil.moved_accounts m
            where m.account_id = of_account and m.moved_at > now() - grace
        ),
        of_account) collate "C";
end;
comment on function counterfoil.account_asked(text, interval) is 'Private: the account that a backend means by the one that it names.';
grant execute on function counterfoil.account_asked(text, interval)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
