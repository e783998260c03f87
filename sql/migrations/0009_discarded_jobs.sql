-- The jobs that were given up, found among however many wait.
--
-- Not in a database transaction, and without a lock that an insert would wait for: a queue may hold millions of jobs when
-- this is made. It waits for the database transactions that have the queue open, and harms nobody meanwhile.
-- concurrently

-- What an interruption left behind, which is no index that anybody may use.
drop index concurrently if exists counterfoil.discarded_jobs;

-- Serves measure_queue.sql, overview, health and checks/discarded_jobs_without_a_verdict.sql.
create index concurrently discarded_jobs on counterfoil.jobs (reason) where state = 'discarded';
