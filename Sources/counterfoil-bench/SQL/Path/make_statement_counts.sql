-- What tells statements and the records of the log apart. Both come with PostgreSQL.
create extension if not exists pg_stat_statements schema public;
create extension if not exists pg_walinspect schema public;
