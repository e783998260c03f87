-- Ends the call of a claimed event. What became of it: handled, waits, given_up, off (the endpoint), or lost, where the lease was
-- another's and nothing is written.
--
-- result: handled; failed; slow (the answer asks to slow down); gone (the address wants no more); released (nobody knows, and the
-- call doesn't count).
--
-- An event is given up only by an endpoint that takes others: while the last twenty calls failed, the longest delay repeats. The
-- first success then makes all that waits due. What a call finds that wasn't due (a probe) leaves the event's own times alone.

create or replace function counterfoil.settle_webhook(
    endpoint integer, event_id text, lease_token integer, result text, error text, retry_seconds double precision,
    is_last boolean, pause_seconds double precision
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    failures_that_stop constant integer := 20;
    patience constant interval := '120 hours';
    slowest constant double precision := 0.1;
    e counterfoil.webhook_endpoints;
    v counterfoil.webhook_events;
    is_probe boolean;
    is_given_up boolean;
begin
    select w.* into e from counterfoil.webhook_endpoints w where w.number = settle_webhook.endpoint for no key update;
    select x.* into v
    from counterfoil.webhook_events x
    where x.endpoint = e.number and x.event_id = settle_webhook.event_id and x.lease_token = settle_webhook.lease_token
        and x.lease_expires_at is not null;
    if v.event_id is null then
        return 'lost';
    end if;

    if settle_webhook.result = 'released' then
        update counterfoil.webhook_events x set lease_expires_at = null where x.endpoint = e.number and x.event_id = v.event_id;
        return 'waits';
    end if;

    if settle_webhook.result = 'handled' then
        perform counterfoil.end_webhook(e.number, v.event_id);
        if v.change_id >= 0 then
            update counterfoil.webhook_endpoints w
            set handled = w.handled + 1, failures = 0, failing_since = null, last_handled_at = clock_timestamp(),
                pace = least(w.rate, w.pace + w.rate / 20.0)
            where w.number = e.number;
            if e.failures >= failures_that_stop then
                update counterfoil.webhook_events x set next_at = clock_timestamp()
                where x.endpoint = e.number and x.next_at < 'infinity' and x.next_at > clock_timestamp();
            end if;
        end if;
        return 'handled';
    end if;

    if v.change_id < 0 then
        -- A test is tried once; who asked for it reads the error.
        update counterfoil.webhook_events x
        set tries = x.tries + 1, error = settle_webhook.error, next_at = null, lease_expires_at = null
        where x.endpoint = e.number and x.event_id = v.event_id;
        return 'given_up';
    end if;
    is_probe := v.next_at > clock_timestamp();
    is_given_up := settle_webhook.is_last and not is_probe and settle_webhook.result <> 'gone'
        and e.failures + 1 < failures_that_stop;
    update counterfoil.webhook_events x
    set error = settle_webhook.error, lease_expires_at = null,
        tries = x.tries + case when is_probe or settle_webhook.result = 'gone' then 0 else 1 end,
        next_at = case
            when is_probe or settle_webhook.result = 'gone' then x.next_at
            when not is_given_up then clock_timestamp() + make_interval(secs => settle_webhook.retry_seconds)
        end
    where x.endpoint = e.number and x.event_id = v.event_id;
    update counterfoil.webhook_endpoints w
    set failures = w.failures + 1, failing_since = coalesce(w.failing_since, clock_timestamp()), failed = w.failed + 1,
        last_error = settle_webhook.error, last_error_at = clock_timestamp(),
        pace = case when settle_webhook.result = 'slow' then greatest(slowest, w.pace / 2) else w.pace end,
        paused_until = greatest(w.paused_until, clock_timestamp() + make_interval(secs => settle_webhook.pause_seconds)),
        off_because = coalesce(
            w.off_because,
            case
                when settle_webhook.result = 'gone' then 'gone'
                when w.failures + 1 >= failures_that_stop and w.failing_since < clock_timestamp() - patience then 'failing'
            end),
        off_since = coalesce(
            w.off_since,
            case
                when settle_webhook.result = 'gone'
                    or w.failures + 1 >= failures_that_stop and w.failing_since < clock_timestamp() - patience
                    then clock_timestamp()
            end)
    where w.number = e.number
    returning w.* into e;
    return case when e.off_since is not null then 'off' when is_given_up then 'given_up' else 'waits' end;
end
$$;
comment on function counterfoil.settle_webhook(integer, text, integer, text, text, double precision, boolean, double precision) is
    'Private: ends the call of a claimed event.';
grant execute on function counterfoil.settle_webhook(integer, text, integer, text, text, double precision, boolean, double precision)
    to counterfoil_worker;
