-- Private: adds the minutes of some hours up, as far as they were counted. Writing an hour again writes the same.

create or replace function counterfoil.roll_up_hours(first_hour timestamptz, past_last timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC'
as $$
begin
    insert into counterfoil.attempt_hours as h (hour, bundle_id, outcome, reason, proof_kind, environment, attempts)
    select
        date_trunc('hour', m.minute), m.bundle_id, m.outcome, m.reason, m.proof_kind, m.environment, sum(m.attempts)
    from counterfoil.attempt_minutes m
    where m.minute >= first_hour and m.minute < past_last
    group by 1, 2, 3, 4, 5, 6
    on conflict (hour, bundle_id, outcome, reason, proof_kind, environment) do update
    set attempts = excluded.attempts where h.attempts <> excluded.attempts;

    insert into counterfoil.latency_hours as h (hour, bundle_id, measure, buckets, reached)
    select
        r.hour, r.bundle_id, r.measure, array_agg(r.bucket order by r.bucket), array_agg(r.reached order by r.bucket)
    from (
        select
            date_trunc('hour', m.minute) as hour, m.bundle_id, m.measure, m.bucket,
            (
                sum(sum(m.attempts)) over (
                    partition by date_trunc('hour', m.minute), m.bundle_id, m.measure order by m.bucket
                )
            )::bigint as reached
        from counterfoil.latency_buckets m
        where m.minute >= first_hour and m.minute < past_last
        group by 1, 2, 3, 4
    ) r
    group by r.hour, r.bundle_id, r.measure
    on conflict (hour, bundle_id, measure) do update
    set buckets = excluded.buckets, reached = excluded.reached
    where (h.buckets, h.reached) <> (excluded.buckets, excluded.reached);

    insert into counterfoil.product_hours as h
        (hour, bundle_id, product_id, ordered, judged, fulfilled, rejected, reviewed, refunded)
    select
        date_trunc('hour', m.minute), m.bundle_id, m.product_id, sum(m.ordered), sum(m.judged), sum(m.fulfilled),
        sum(m.rejected), sum(m.reviewed), sum(m.refunded)
    from counterfoil.product_minutes m
    where m.minute >= first_hour and m.minute < past_last
    group by 1, 2, 3
    on conflict (hour, bundle_id, product_id) do update
    set ordered = excluded.ordered, judged = excluded.judged, fulfilled = excluded.fulfilled,
        rejected = excluded.rejected, reviewed = excluded.reviewed, refunded = excluded.refunded
    where (h.ordered, h.judged, h.fulfilled, h.rejected, h.reviewed, h.refunded)
        <> (excluded.ordered, excluded.judged, excluded.fulfilled, excluded.rejected, excluded.reviewed, excluded.refunded);
end
$$;
comment on function counterfoil.roll_up_hours(timestamptz, timestamptz) is 'Private: adds the minutes of some hours up.';
