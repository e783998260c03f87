-- For the rest of this database transaction, by a superuser only.
set local session_replication_role = replica
