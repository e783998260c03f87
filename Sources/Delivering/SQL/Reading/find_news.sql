-- Whether there is something to do: a change after the cursor, or a waiting one that is due. Locks nothing, and takes no
-- transaction number.
select
    exists (select from counterfoil.changes_since(s.cursor, 1))
    or exists (select from {waiting} w where w.next_at <= clock_timestamp()) as has_news
from {state} s
