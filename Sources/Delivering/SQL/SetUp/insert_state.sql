-- Begins: with the changes from a time on. The cursor bears the time before which nothing is wanted, or everything was told.
--
-- $1 text  the time, as PostgreSQL reads it
insert into {state} (cursor, safe_at)
select b.cursor, coalesce(to_timestamp(nullif(split_part(split_part(b.cursor, '/', 5), ',', 1), '')::bigint / 1e6), '-infinity')
from (select counterfoil.changes_from($1::text::timestamptz) as cursor) b
