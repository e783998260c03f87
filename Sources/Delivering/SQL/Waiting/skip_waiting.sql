-- An operator gives a waiting change up: the next of its order is due. No row: it doesn't wait.
--
-- $1 int8  id    $2 text  who    $3 text  why
with skipped as (
    update {waiting} w set next_at = null, skipped_at = clock_timestamp(), skipped_by = $2::text, skipped_why = $3::text
    where w.id = $1::bigint and w.next_at is not null
    returning w.id, w.key
), released as (
    update {waiting} w set next_at = clock_timestamp()
    where w.next_at = 'infinity' and w.id = (
        select min(e.id) from {waiting} e join skipped k on k.key = e.key where e.id <> $1::bigint and e.next_at is not null
    )
)
select k.id from skipped k
