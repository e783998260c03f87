-- Looks at the jobs for as long as it is told, in one snapshot, as a long report would.
--
-- $1 float8  seconds
select count(*) from counterfoil.jobs j, (select pg_sleep($1::double precision)) as waited
