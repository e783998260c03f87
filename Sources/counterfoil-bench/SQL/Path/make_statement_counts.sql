-- What tells statements and the records of the log apart. Both come with PostgreSQL.
create extension if not exists pg_stat_statements;
create extension if not exists pg_walinspect;
