-- Leases available jobs of open lanes, at most one an order, and returns all that an attempt needs.
--
-- $1 int4[]  lanes, in the order to serve them
-- $2 int4[]  the most jobs to take of each lane
-- $3 timestamptz[]  low-water marks, four a lane (priority 0 to 3): no job that was due before its mark is found; infinity:
--     no job at all
-- $4 int4    the most jobs to take
-- $5 int8    the most bytes of proofs to take; one job passes whatever its size
-- $6 int8    worker
-- $7 float8  length of the lease, in seconds
-- $8 int4    the lane that is being probed although its gate is closed, or null
-- $9 bool    whether to look at the order's other jobs of every job: after a claim was refused, since a hint was wrong (is_alone)
--
-- The statement reads the gates itself, so that a closing holds from the next claim on.
--
-- Idioms: a range scan for each priority, low-water mark, stable now(), lock first, row look-up, array of one.
with picked as materialized (
    select r.id, r.order_number, r.bytes, r.rescues, r.is_alone, row_number() over () as place
    from unnest($1::integer[], $2::integer[]) with ordinality as l (lane, quota, place)
    cross join lateral (
        select q.id, q.order_number, q.bytes, q.rescues, q.is_alone
        from generate_series(0, 3) as p (priority)
        cross join lateral (
            select
                j.id, j.order_number, coalesce(octet_length(j.proof), 0) as bytes, j.rescues,
                j.is_alone and not $9::boolean as is_alone
            from counterfoil.jobs j
            where j.lane = l.lane and j.priority = p.priority and j.state = 'available' and j.run_at <= now()
                and (j.run_at, j.id) >= (($3::timestamptz[])[(l.place - 1) * 4 + p.priority + 1], 0)
                -- Jobs of one order run one at a time and, within a lane, in turn; rescued ones come first. Only the
                -- first of several that are due may be taken: two claims at once then want the same job, one of them
                -- skips it, and the unique index refuses neither. Row look-up.
                and (j.is_alone and not $9::boolean or (
                    select true from counterfoil.jobs s
                    where s.order_number = j.order_number and s.id <> j.id
                        and (
                            s.state = 'running'
                            or (
                                s.state = 'available' and s.lane = j.lane and s.run_at <= now()
                                and (-s.rescues, s.priority, s.run_at, s.id) < (-j.rescues, j.priority, j.run_at, j.id)
                            )
                        )
                    limit 1
                ) is null)
            order by j.run_at, j.id
            limit l.quota
            for no key update of j skip locked
        ) q
        where ($3::timestamptz[])[(l.place - 1) * 4 + p.priority + 1] < 'infinity' and (
            select g.state = 'open' or (g.lane = $8::integer and g.closed_by <> 'operator')
            from counterfoil.gates g where g.lane = l.lane
        )
        limit l.quota
    ) r
    limit $4::integer
), whole as materialized (
    -- Whether all that were picked are taken: none has others of its order, and all fit.
    select coalesce(sum(p.bytes), 0) <= $5::bigint and coalesce(bool_and(p.is_alone), true) as is_taken from picked p
), first_of_order as (
    -- A notification has no order.
    select distinct on (p.order_number, w.without_order) p.id, p.order_number, p.bytes, p.place
    from picked p
    cross join lateral (select case when p.order_number is null then p.id end) as w (without_order)
    order by p.order_number, w.without_order, p.rescues desc, p.place
), fitting as (
    select f.id, f.order_number, sum(f.bytes) over (order by f.place) - f.bytes as bytes_before from first_of_order f
), chosen as materialized (
    -- Sorted by order, whatever the lanes: with each update a claim takes its order's place in the unique index, and two claims
    -- that took places in different sequences would wait for each other.
    select p.id, p.order_number from picked p where (select w.is_taken from whole w)
    union all
    select f.id, f.order_number from fitting f where f.bytes_before < $5::bigint and not (select w.is_taken from whole w)
    order by order_number
), claimed as (
    update counterfoil.jobs j
    set state = 'running', attempt = j.attempt + 1, lease_token = j.lease_token + 1, worker_id = $6::bigint,
        claimed_at = now(), lease_expires_at = now() + make_interval(secs => $7::double precision)
    from chosen c
    -- Array of one, twice; and the view is looked up by c, not by j.
    left join counterfoil.order_facts f on f.order_number = any (array[c.order_number])
    where j.id = any (array[c.id])
    returning
        j.id, j.lease_token, j.lane, j.attempt, j.rescues, j.crashes, j.created_at, j.claimed_at,
        coalesce(j.proof, (select n.payload from counterfoil.notifications n where n.id = j.notification_id)) as proof,
        j.transaction_id,
        j.transaction_id is not null and (
            select true from counterfoil.payments p
            where p.order_number = any (array[j.order_number]) and p.bundle_id = f.bundle_id
                and (
                    p.transaction_id = j.transaction_id
                    or p.payment_key = (
                        select n.payment_key from counterfoil.payments n
                        where n.transaction_id = j.transaction_id and n.bundle_id = p.bundle_id and n.environment = p.environment
                    )
                )
        ) is not null as hint_is_granted,
        j.priority, j.run_at, j.kind, j.uncertain_attempts, j.missing_since, j.last_missing_at, j.notification_id,
        j.found_by is not null as is_found, f.*
)
-- Sorted, so that the rows are sent together: each row that is sent as it is updated would wake the worker.
select * from claimed c order by c.priority, c.run_at, c.id
