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

    insert into counterfoil.latency_hours as h (hour, bundle_id, measure, bucket, attempts)
    select date_trunc('hour', m.minute), m.bundle_id, m.measure, m.bucket, sum(m.attempts)
    from counterfoil.latency_minutes m
    where m.minute >= first_hour and m.minute < past_last
    group by 1, 2, 3, 4
    on conflict (hour, bundle_id, measure, bucket) do update
    set attempts = excluded.attempts where h.attempts <> excluded.attempts;

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
