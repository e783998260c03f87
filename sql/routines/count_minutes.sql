-- Counts what happened, a minute at a time, for the dashboards. Safe to call at any time, by any worker, twice at once.
--
-- A minute is counted when it is over and once more ten minutes later, for good: an attempt bears the time at which its
-- settlement began and shows when that has committed, and the timeouts of the worker's role end a settlement before
-- that. An order of a shop whose database transaction lasts longer isn't counted. Counting a minute again writes the
-- same rows, so that nothing is counted twice whatever crashes; where nothing happened, up to a day goes at once.
--
-- Attempts are found by their time and each order by its key: never a join, which could read all orders.

create or replace function counterfoil.roll_up() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
    set enable_bitmapscan = on set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
    set plan_cache_mode = force_custom_plan set jit = off set work_mem = '32MB'
as $$
declare
    -- An attempt's settlement may begin in the last moments of a minute and end shortly afterwards.
    settling constant interval := '5 seconds';
    finality constant interval := '10 minutes';
    most_at_once constant integer := 20000;
    mark record;
    first_minute timestamptz;
    past_last timestamptz;
    step interval;
    is_final boolean;
begin
    select m.counted_to, m.final_to into mark from counterfoil.roll_up_marks m for update skip locked;
    if not found then
        return 0;
    end if;

    if mark.final_to + interval '1 minute' <= now() - finality then
        is_final := true;
        first_minute := mark.final_to;
        foreach step in array array['1 day', '1 hour', '1 minute']::interval[] loop
            past_last := first_minute + step;
            exit when step = interval '1 minute';
            continue when past_last > now() - finality;
            exit when (
                select count(*) from (
                    (
                        select from counterfoil.attempts a
                        where a.finished_at >= first_minute and a.finished_at < past_last limit most_at_once
                    )
                    union all
                    (
                        select from counterfoil.orders o
                        where o.created_at >= first_minute and o.created_at < past_last limit most_at_once
                    )
                ) as happened
            ) < most_at_once;
        end loop;
    elsif mark.counted_to + interval '1 minute' <= now() - settling then
        is_final := false;
        first_minute := mark.counted_to;
        past_last := first_minute + interval '1 minute';
    else
        return 0;
    end if;

    with attempt as materialized (
        select
            date_trunc('minute', a.finished_at) as minute, a.job_id, a.order_id, o.bundle_id, o.product_id, o.account_id,
            o.state, counterfoil.attempt_outcome(a.disposition, a.reason, a.transaction_id) as outcome,
            coalesce(a.reason, '') as reason, coalesce(a.proof_kind, '') as proof_kind,
            coalesce(a.environment, '') as environment, a.attempt, a.submitted_at, a.claimed_at, a.finished_at
        from counterfoil.attempts a
        join counterfoil.orders o on o.order_id = a.order_id
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
            a.minute, a.bundle_id, l.measure,
            width_bucket(greatest(0, extract(epoch from l.took))::double precision, counterfoil.latency_bounds()) as bucket
        from attempt a
        cross join lateral (
            values
                ('pick_up', case when a.attempt = 1 then a.claimed_at - a.submitted_at end),
                ('attempt', a.finished_at - a.claimed_at),
                ('fulfilment', case when a.outcome = 'fulfilled' then a.finished_at - a.submitted_at end)
        ) as l (measure, took)
        where l.took is not null and a.outcome not in ('rescued', 'cancelled')
    ), latencies_counted as (
        insert into counterfoil.latency_minutes as m (minute, bundle_id, measure, bucket, attempts)
        select l.minute, l.bundle_id, l.measure, l.bucket, count(*)
        from latency l
        group by l.minute, l.bundle_id, l.measure, l.bucket
        on conflict (minute, bundle_id, measure, bucket) do update
        set attempts = excluded.attempts where m.attempts <> excluded.attempts
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
        where a.outcome in ('rejected', 'review')
            and a.reason in (
                'already_granted', 'already_owned', 'granted_to_another_account', 'owner_mismatch', 'bad_certificate',
                'untrusted_root', 'bad_signature', 'not_authentic', 'unsupported_environment', 'sandbox_not_allowed'
            )
        group by a.minute, a.bundle_id, a.account_id, a.reason
        on conflict (minute, bundle_id, account_id, reason) do update
        set attempts = excluded.attempts where m.attempts <> excluded.attempts
    )
    insert into counterfoil.orders_in_review (order_id, since)
    select a.order_id, min(a.finished_at) from attempt a where a.state = 'review' group by a.order_id
    on conflict (order_id) do nothing;

    if is_final then
        perform counterfoil.roll_up_hours(date_trunc('hour', first_minute), date_trunc('hour', past_last));
        update counterfoil.roll_up_marks m set final_to = past_last, counted_to = greatest(m.counted_to, past_last);
    else
        update counterfoil.roll_up_marks m set counted_to = past_last;
    end if;
    return (extract(epoch from past_last - first_minute) / 60)::integer;
end
$$;
comment on function counterfoil.roll_up() is
    'Counts the next minutes that are over; returns how many, 0 when none is due or another worker counts.';

grant execute on function counterfoil.roll_up() to counterfoil_worker;
