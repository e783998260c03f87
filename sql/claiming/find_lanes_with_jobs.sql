-- Which of the given lanes have a job that waits, due or not.
--
-- $1 int4[]  lanes
--
-- Idiom: row look-up.
select l.lane
from unnest($1::integer[]) as l (lane)
where (select true from counterfoil.jobs j where j.lane = l.lane and j.state = 'available' limit 1)
