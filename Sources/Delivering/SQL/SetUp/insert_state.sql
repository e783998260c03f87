-- Begins: with the changes from a time on.
--
-- $1 text  the time, as PostgreSQL reads it
insert into {state} (cursor, safe_at)
select counterfoil.changes_from(t.since), least(t.since, clock_timestamp())
from (select $1::text::timestamptz as since) t
