-- Takes away what a function left in the session. A script: deferred triggers run first, as the function's own.
--
-- Not "discard all", which no database transaction can run: behind a pooler the next one may have another session.
set local statement_timeout = {timeout};
set constraints all immediate;
close all;
deallocate all;
unlisten *;
discard temp;
reset session authorization;
reset role;
reset all;
select pg_catalog.pg_advisory_unlock_all();
