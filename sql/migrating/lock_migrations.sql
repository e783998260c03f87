-- One migration at a time, until the end of this database transaction. It is the lock of a row, which needs a privilege on the
-- table: an advisory lock could be held by whoever may connect. The first migration finds no table, and is locked by its schema's
-- name.
select m.id from counterfoil.migrations m where m.id = 1 for update
