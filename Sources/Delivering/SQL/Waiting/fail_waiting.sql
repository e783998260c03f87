-- A waiting change failed again.
--
-- $1 int8  id    $2 text  error    $3 float8  seconds until the next try
update {waiting} w
set tries = w.tries + 1, error = $2::text, next_at = clock_timestamp() + $3::double precision * interval '1 second'
where w.id = $1::bigint and w.next_at < 'infinity'
