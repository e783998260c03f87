-- For the rest of this database transaction, by its first statement: all that follows sees one snapshot.
set transaction isolation level repeatable read
