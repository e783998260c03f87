-- The change that waits; of an account that was moved meanwhile, with the account that it is now. A part of find_waiting and
-- read_waiting, and no statement.
coalesce(
    (
        select jsonb_set(w.change, '{account_id}', to_jsonb(m.account_now))
        from counterfoil.moved_accounts m
        where m.account_id = w.change ->> 'account_id' and w.key not like 'account %'
    ), w.change)::text
