-- The leases, found in the order in which they run out.
--
-- Until now the rescue read all that ran. While an old snapshot holds vacuum back it read all that had run since: 72 ms
-- each time after 200,000 jobs, in every worker. As 0009, it is made beside workers, and each statement may be repeated.
-- concurrently

-- What an interruption left behind, which is no index that anybody may use.
drop index concurrently if exists counterfoil.leases;

-- Serves rescue_expired_jobs.sql, which says what its rows have in common in the same words. No other statement does, so that
-- none that finds a job by its id is offered this index: planned while nothing ran, it would look like a shorter way.
create index concurrently leases on counterfoil.jobs (lease_expires_at) where lease_expires_at > '-infinity';
