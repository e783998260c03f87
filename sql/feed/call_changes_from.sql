-- The cursor with which the feed begins at a time.
--
-- $1 text  the time, as PostgreSQL reads it
select counterfoil.changes_from($1::text::timestamptz)
