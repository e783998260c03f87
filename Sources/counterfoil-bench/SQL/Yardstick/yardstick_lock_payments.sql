-- Locks the payments that have been seen before, until the end of this database transaction: the next statement sees what was
-- settled about them. One that has no row yet is locked by whoever inserts it first.
--
-- Unique keys alone guard against two grants. That a payment is not granted by one settlement while another records its refund is a
-- rule over two tables, which two settlements at once could each find kept.
--
-- $1 text[]  transaction ids    $2 text[]  bundle ids    $3 text[]  environments
--
-- Idioms: lateral look-up, lock first.
select count(*)
from (
    select *
    from unnest($1::text[], $2::text[], $3::text[]) as u (transaction_id, bundle_id, environment)
    order by u.transaction_id collate "C", u.bundle_id collate "C", u.environment collate "C"
) e
cross join lateral (
    select p.transaction_id
    from counterfoil.payments p
    where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
    limit 1
    for no key update of p
) p
