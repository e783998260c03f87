-- Private: counts what happened in some minutes. Writing a minute again writes the same.
--
-- Attempts are found by their time and each order by its key: never a join, which could read all orders.

create or replace function counterfoil.roll_up_minutes(first_minute timestamptz, past_last timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC'
    set enable_bitmapscan = on set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_custom_plan set jit = off set work_mem = '32MB'
as $$
begin
    with attempt as materialized (
        select
            date_trunc('minute', a.finished_at) as minute, a.job_id, o.order_id, o.bundle_id, o.product_id, o.account_id,
            o.state, counterfoil.attempt_outcome(a.disposition, a.reason, a.transaction_id) as outcome,
            coalesce(a.reason, '') as reason, coalesce(a.proof_kind, '') as proof_kind,
            coalesce(a.environment, '') as environment, a.lease_token, a.worker_id, a.submitted_at, a.claimed_at,
            a.finished_at, a.order_number
        from counterfoil.attempts a
        join counterfoil.orders o on o.number = a.order_number
        where a.finished_at >= first_minute and a.finished_at < past_last
    ), attempts_counted as (
        insert into counterfoil.attempt_minutes as m
            (minute, bundle_id, outcome, reason, proof_kind, environment, attempts)
        select a.minute, a.bundle_id, a.outcome, a.reason, a.proof_kind, a.environment, count(*)
        from attempt a
        group by a.minute, a.bundle_id, a.outcome, a.reason, a.proof_kind, a.environment
        on conflict (minute, bundle_id, outcome, reason, proof_kind, environment) do update
        set attempts = excluded.attempts where m.attempts <> excluded.attempts
    ), latency as (
        select
            t.minute, t.bundle_id, width_bucket(t.pick_up, counterfoil.latency_bounds()) as pick_up,
            width_bucket(t.attempt, counterfoil.latency_bounds()) as attempt,
            width_bucket(t.fulfilment, counterfoil.latency_bounds()) as fulfilment, count(*) as attempts
        from (
            select
                a.minute, a.bundle_id,
                -- Of the first claim: attempts that don't count are numbered like the next ones, leases are not.
                case when a.lease_token = 1 then date_part('epoch', a.claimed_at - a.submitted_at) end as pick_up,
                date_part('epoch', a.finished_at - a.claimed_at) as attempt,
                case when a.outcome = 'fulfilled' then date_part('epoch', a.finished_at - a.submitted_at) end as fulfilment
            from attempt a
            -- A job that an operator gave up was no attempt.
            where a.outcome not in ('rescued', 'cancelled') and a.worker_id is not null
        ) as t
        group by 1, 2, 3, 4, 5
    ), latencies_counted as (
        insert into counterfoil.latency_minutes as m (minute, bundle_id, measure, buckets, reached)
        select
            r.minute, r.bundle_id, r.measure, array_agg(r.bucket order by r.bucket),
            array_agg(r.reached order by r.bucket)
        from (
            select
                l.minute, l.bundle_id, b.measure, b.bucket,
                (sum(sum(l.attempts)) over (partition by l.minute, l.bundle_id, b.measure order by b.bucket))::bigint
                    as reached
            from latency l
            cross join lateral (
                values ('pick_up', l.pick_up), ('attempt', l.attempt), ('fulfilment', l.fulfilment)
            ) as b (measure, bucket)
            where b.bucket is not null
            group by l.minute, l.bundle_id, b.measure, b.bucket
        ) r
        group by r.minute, r.bundle_id, r.measure
        on conflict (minute, bundle_id, measure) do update
        set buckets = excluded.buckets, reached = excluded.reached
        where (m.buckets, m.reached) <> (excluded.buckets, excluded.reached)
    ), happening as (
        select
            a.minute, a.bundle_id, a.product_id, 0 as ordered,
            (a.outcome in ('fulfilled', 'rejected', 'review', 'refunded', 'unchanged', 'discarded') and a.proof_kind <> '')
                ::integer as judged,
            (a.outcome = 'fulfilled')::integer as fulfilled, (a.outcome = 'rejected')::integer as rejected,
            (a.outcome in ('review', 'discarded'))::integer as reviewed, (a.outcome = 'refunded')::integer as refunded
        from attempt a
        union all
        select date_trunc('minute', o.created_at), o.bundle_id, o.product_id, 1, 0, 0, 0, 0, 0
        from counterfoil.orders o
        where o.created_at >= first_minute and o.created_at < past_last
    ), products_counted as (
        insert into counterfoil.product_minutes as m
            (minute, bundle_id, product_id, ordered, judged, fulfilled, rejected, reviewed, refunded)
        select
            h.minute, h.bundle_id, h.product_id, sum(h.ordered), sum(h.judged), sum(h.fulfilled), sum(h.rejected),
            sum(h.reviewed), sum(h.refunded)
        from happening h
        group by h.minute, h.bundle_id, h.product_id
        having sum(h.ordered + h.judged + h.fulfilled + h.rejected + h.reviewed + h.refunded) > 0
        on conflict (minute, bundle_id, product_id) do update
        set ordered = excluded.ordered, judged = excluded.judged, fulfilled = excluded.fulfilled,
            rejected = excluded.rejected, reviewed = excluded.reviewed, refunded = excluded.refunded
        where (m.ordered, m.judged, m.fulfilled, m.rejected, m.reviewed, m.refunded)
            <> (excluded.ordered, excluded.judged, excluded.fulfilled, excluded.rejected, excluded.reviewed, excluded.refunded)
    ), suspicions_counted as (
        insert into counterfoil.suspicion_minutes as m (minute, bundle_id, account_id, reason, attempts)
        select a.minute, a.bundle_id, a.account_id, a.reason, count(*)
        from attempt a
        where a.outcome = 'rejected' or a.outcome = 'review' and a.reason = 'owner_mismatch'
        group by a.minute, a.bundle_id, a.account_id, a.reason
        on conflict (minute, bundle_id, account_id, reason) do update
        set attempts = excluded.attempts where m.attempts <> excluded.attempts
    )
    insert into counterfoil.orders_in_review (order_id, since, app_version)
    select
        a.order_id, min(a.finished_at),
        (
            select t.app_version from counterfoil.other_attempts t
            where t.order_number = a.order_number and t.app_version is not null
            order by t.finished_at desc
            limit 1
        )
    from attempt a
    where a.state = 'review'
    group by a.order_id, a.order_number
    on conflict (order_id) do nothing;
end
$$;
comment on function counterfoil.roll_up_minutes(timestamptz, timestamptz) is 'Private: counts what happened in some minutes.';
