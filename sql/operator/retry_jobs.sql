-- Makes waiting and discarded jobs available now, with all their attempts before them, and records by whom and why. The number
-- of rescues stays: a proof that brought workers down before is attempted in a process of its own again.
--
-- A batch, in the order of ids; jobs that others have locked are passed over, running ones left alone. Returns the jobs.
--
-- $1 int8  job, or null           $5 text  bundle id, or null                     $9 text  who
-- $2 text  state, or null         $6 timestamptz  created since, or null         $10 text  why
-- $3 text  reason, or null        $7 int8  ids above this one
-- $4 text  order, or null         $8 int4  the most to take
-- $11 int8[]  none but these, or null: the set that somebody looked at before
--
-- Idiom: lock first.
with picked as materialized (
    select j.id
    from counterfoil.jobs j
    left join counterfoil.gates g on g.lane = j.lane
    where j.state <> 'running' and j.id > $7::bigint
        and ($1::bigint is null or j.id = $1::bigint)
        and ($2::text is null or j.state = $2::text)
        and ($3::text is null or j.reason = $3::text)
        and ($4::text is null or j.order_number = (select o.number from counterfoil.orders o where o.order_id = $4::text))
        and ($5::text is null or g.bundle_id = $5::text)
        and ($6::timestamptz is null or j.created_at >= $6::timestamptz)
        and ($11::bigint[] is null or j.id = any ($11::bigint[]))
    order by j.id
    limit $8::integer
    for no key update of j skip locked
), retried as (
    update counterfoil.jobs j
    set state = 'available', is_alone = false, run_at = now(), attempt = 0, crashes = 0, uncertain_attempts = 0, reason = null,
        missing_since = null, last_missing_at = null
    from picked p
    where j.id = p.id
    returning j.id, j.order_id
), told as (
    insert into counterfoil.order_events (order_id, kind, who, why)
    select r.order_id, 'job_retried', $9::text, $10::text from retried r where r.order_id is not null
)
select r.id, r.order_id from retried r order by r.id
