-- Changes that wait, and how often they failed.
select count(*) as waiting, coalesce(sum(w.tries), 0)::bigint as tries from shop.reader_waiting w where w.next_at is not null
