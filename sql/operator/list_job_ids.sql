-- The jobs that a filter matches, as count_jobs.sql counts them: a set to look at, and to act on later.
--
-- $1 int8  job, or null           $3 text  reason, or null        $5 text  bundle id, or null
-- $2 text  state, or null         $4 text  order, or null         $6 timestamptz  created since, or null
-- $7 int4  the most to list
select j.id
from counterfoil.jobs j
left join counterfoil.gates g on g.lane = j.lane
where j.state <> 'running'
    and ($1::bigint is null or j.id = $1::bigint)
    and ($2::text is null or j.state = $2::text)
    and ($3::text is null or j.reason = $3::text)
    and ($4::text is null or j.order_number = (select o.number from counterfoil.orders o where o.order_id = $4::text))
    and ($5::text is null or g.bundle_id = $5::text)
    and ($6::timestamptz is null or j.created_at >= $6::timestamptz)
order by j.id
limit $7::integer
