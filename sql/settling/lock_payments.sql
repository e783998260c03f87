-- Locks payments until the end of this database transaction: nobody else grants, takes back or keeps as unclaimed one of
-- them meanwhile, and the next statement sees all that was settled about them before.
--
-- Unique keys alone guard against two grants. That a payment is not granted by one settlement while another records its
-- refund, or keeps it as unclaimed, is a rule over several tables, which two settlements at once could each find kept. The
-- original transaction stands for all that can touch each other. Taken after lock_settling_jobs.sql, in the order of the keys.
--
-- $1 text[]  bundle ids    $2 text[]  environments    $3 text[]  original transaction ids
select count(pg_advisory_xact_lock(p.key))
from (
    select distinct hashtextextended(concat_ws(' ', e.bundle_id, e.environment, e.original_transaction_id), 0) as key
    from unnest($1::text[], $2::text[], $3::text[]) as e (bundle_id, environment, original_transaction_id)
    order by key
) p
