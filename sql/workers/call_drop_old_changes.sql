-- Drops a partition of changes that is past its retention; returns 0 when there is none, or it could not be had.
--
-- $1 float8  retention, in seconds
select counterfoil.drop_old_changes(make_interval(secs => $1::double precision))
