-- Whether a shop's deliverer has anything left to do.
select
    exists (select from counterfoil.changes_since(s.cursor, 1))
    or exists (select from shop.reader_waiting w where w.next_at is not null) as has_undelivered
from shop.reader s
