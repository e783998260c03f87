-- The waiting changes, those that were skipped last.
--
-- $1 int4  the most to return
select
    w.id, case when w.next_at is null then 'skipped' when w.next_at = 'infinity' then 'behind' else 'waiting' end as state,
    w.change ->> 'kind' as kind, w.change ->> 'order_id' as order_id, w.change ->> 'transaction_id' as transaction_id,
    w.change ->> 'account_id' as account_id, w.since, w.tries, nullif(w.next_at, 'infinity') as next_at, w.error, w.skipped_at,
    w.skipped_by, w.skipped_why
from {waiting} w
order by w.next_at is null, w.id
limit $1::integer
