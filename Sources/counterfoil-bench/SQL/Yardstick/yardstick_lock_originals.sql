-- Locks the originals of payments that may have several names, until the end of this database transaction: nobody else grants,
-- takes back or keeps one of them meanwhile under another name, and the next statement sees all that was settled about them before.
--
-- Each is inserted or locked in one pass, in the order of the keys; "where false" locks a row and leaves it as it is.
--
-- $1 text[]  original transaction ids    $2 text[]  bundle ids    $3 text[]  environments
insert into counterfoil.originals (original_transaction_id, bundle_id, environment)
select distinct e.original_transaction_id collate "C", e.bundle_id collate "C", e.environment collate "C"
from unnest($1::text[], $2::text[], $3::text[]) as e (original_transaction_id, bundle_id, environment)
order by 1, 2, 3
on conflict on constraint one_lock_an_original do update set environment = excluded.environment where false
