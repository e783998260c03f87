-- Discards waiting jobs: they stay as dead letters. Records by whom and why; settle_orders.sql moves their orders.
--
-- A batch, in the order of ids; jobs that others have locked are passed over, running ones left alone. Returns the jobs and
-- whether they verify, rather than follow up.
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
    where j.state = 'available' and j.id > $7::bigint
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
), discarded as (
    update counterfoil.jobs j
    set state = 'discarded', reason = 'discarded_by_operator'
    from picked p
    where j.id = p.id
    returning j.id, j.order_id, j.order_number, j.lease_token, j.attempt, j.created_at, j.kind
), remembered as (
    insert into counterfoil.other_attempts (
        job_id, order_number, lease_token, attempt, disposition, reason, message, submitted_at, claimed_at
    )
    select
        d.id, d.order_number, d.lease_token, d.attempt, 'discard', 'discarded_by_operator', $9::text || ': ' || $10::text,
        d.created_at, now()
    from discarded d
    where d.order_id is not null
), told as (
    insert into counterfoil.order_events (order_id, kind, who, why)
    select d.order_id, 'job_discarded', $9::text, $10::text from discarded d where d.order_id is not null
)
select d.id, d.order_id, d.kind = 'verify' as verifies from discarded d order by d.id
