-- Removes counts past their retention, a batch of each table; returns the size of the largest batch.
--
-- $1 float8  retention of counts by the minute, in seconds
-- $2 float8  retention of counts by the hour, in seconds
-- $3 int4    the most to remove of each table
select counterfoil.prune_roll_ups(
    make_interval(secs => $1::double precision), make_interval(secs => $2::double precision), $3::integer
)
