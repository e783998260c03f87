-- A waiting change was delivered: the next of its order is due. No row: it waits no more.
--
-- $1 int8  id
with done as (
    delete from {waiting} w where w.id = $1::bigint and w.next_at is not null returning w.key
), released as (
    update {waiting} w set next_at = clock_timestamp()
    where w.id = (
        select min(e.id) from {waiting} e join done d on d.key = e.key where e.id <> $1::bigint and e.next_at is not null
    )
)
update {state} s set failures = 0, delivered = s.delivered + 1 from done d
returning s.delivered
