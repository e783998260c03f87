-- The waiting change to try next. Of each order only the earliest has a time.
--
-- $1 bool  one that isn't due will do
select
    w.id, w.key, w.tries,
    -- Of an account that was moved meanwhile: the one that it is now.
    coalesce(
        (
            select jsonb_set(w.change, '{account_id}', to_jsonb(m.account_now))
            from counterfoil.moved_accounts m
            where m.account_id = w.change ->> 'account_id' and w.key not like 'account %'
        ), w.change)::text as change
from {waiting} w
where w.next_at < 'infinity' and ($1::boolean or w.next_at <= clock_timestamp())
order by w.next_at, w.id
limit 1
