-- One waiting change, and which of its order it waits behind.
--
-- $1 int8  id
select
    w.id, w.key, w.tries,
    -- Of an account that was moved meanwhile: the one that it is now.
    coalesce(
        (
            select jsonb_set(w.change, '{account_id}', to_jsonb(m.account_now))
            from counterfoil.moved_accounts m
            where m.account_id = w.change ->> 'account_id' and w.key not like 'account %'
        ), w.change)::text as change,
    w.next_at is null as is_skipped,
    (select min(e.id) from {waiting} e where e.key = w.key and e.next_at is not null) as first_id
from {waiting} w
where w.id = $1::bigint
