-- Of the notifications that Apple signed, and that came since a time: how many, and after how many milliseconds half of them, 99 %
-- and the last had their effect.
--
-- $1 timestamptz  since
select
    count(*), coalesce(percentile_cont(0.5) within group (order by t.milliseconds), 0),
    coalesce(percentile_cont(0.99) within group (order by t.milliseconds), 0), coalesce(max(t.milliseconds), 0)
from (
    select extract(epoch from n.processed_at - n.received_at)::double precision * 1000 as milliseconds
    from counterfoil.notifications n
    where n.outcome is not null and n.received_at >= $1::timestamptz
) t
