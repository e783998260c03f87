-- How many jobs a filter matches, as retry_jobs.sql and discard_jobs.sql read it, by state and reason.
--
-- $1 int8  job, or null           $3 text  reason, or null        $5 text  bundle id, or null
-- $2 text  state, or null         $4 text  order, or null         $6 timestamptz  created since, or null
-- $7 int8[]  none but these, or null
select j.state, j.reason, g.bundle_id, count(*) as jobs, min(j.created_at) as oldest_created_at
from counterfoil.jobs j
left join counterfoil.gates g on g.lane = j.lane
where j.state <> 'running'
    and ($1::bigint is null or j.id = $1::bigint)
    and ($2::text is null or j.state = $2::text)
    and ($3::text is null or j.reason = $3::text)
    and ($4::text is null or j.order_number = (select o.number from counterfoil.orders o where o.order_id = $4::text))
    and ($5::text is null or g.bundle_id = $5::text)
    and ($6::timestamptz is null or j.created_at >= $6::timestamptz)
    and ($7::bigint[] is null or j.id = any ($7::bigint[]))
group by j.state, j.reason, g.bundle_id
order by 4 desc, 1, 2, 3
