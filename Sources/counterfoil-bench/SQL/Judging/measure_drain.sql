-- What became of what a worker held when it was told to go: settled, released, failed, and still leased to it.
--
-- $1 int8  worker    $2 float8  when it was told, in seconds since 1970
select
    count(*) filter (where a.disposition in ('complete', 'snooze')), count(*) filter (where a.disposition = 'release'),
    count(*) filter (where a.disposition in ('retry', 'discard', 'rescue')),
    (select count(*) from counterfoil.jobs j where j.worker_id = $1::bigint and j.state = 'running')
from counterfoil.attempts a
where a.worker_id = $1::bigint and a.finished_at >= to_timestamp($2::double precision)
