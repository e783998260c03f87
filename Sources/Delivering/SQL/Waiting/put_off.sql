-- A change that failed: it waits.
--
-- $1 int8  id    $2 text  key    $3 text  the change, as JSON    $4 text  error    $5 float8  seconds until the next try
insert into {waiting} (id, key, change, tries, error, next_at)
values ($1::bigint, $2::text, $3::text::jsonb, 1, $4::text, clock_timestamp() + $5::double precision * interval '1 second')
on conflict (id) do nothing
