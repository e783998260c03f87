-- A cursor in place of one that the server doesn't know any more. No row: it was replaced already.
--
-- $1 text  the unknown cursor
update {state} s set cursor = counterfoil.changes_from(s.safe_at) where s.cursor = $1::text
returning s.safe_at::text as safe_at
