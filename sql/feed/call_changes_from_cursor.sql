-- A cursor that begins anew in place of one that is unknown.
--
-- $1 text  the unknown cursor
select counterfoil.changes_from_cursor($1::text)
