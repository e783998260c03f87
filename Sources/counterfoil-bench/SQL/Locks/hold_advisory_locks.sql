-- Takes the advisory locks that a version of the program took, and some that none did, until the session ends.
--
-- $1 text[]  bundle ids    $2 text[]  environments    $3 text[]  original transaction ids, whose payments were locked so
select count(pg_advisory_lock(k.key))
from (
    select hashtextextended(n.name, 0) as key
    from unnest(array['counterfoil.migrations', 'counterfoil.indexes', 'counterfoil.attempts']) as n (name)
    union
    select hashtextextended(concat_ws(' ', e.bundle_id, e.environment, e.original_transaction_id), 0)
    from unnest($1::text[], $2::text[], $3::text[]) as e (bundle_id, environment, original_transaction_id)
    union
    select generate_series(-5, 5)
) k
