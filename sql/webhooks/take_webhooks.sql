-- Reads the feed for endpoints, and claims events that are due: those to send now, each with the lease to settle it by.
--
-- All that changes an endpoint or its events locks the endpoint's row first; an endpoint that another session has is left to it.
--
-- The cursor stops while a thousand events wait, or while the last twenty calls failed and one waits that will be tried again. Then
-- one is tried each minute, whichever. An event is claimed when nothing of its key stands before it, as far as the endpoint's calls
-- at once, its pace and its pauses allow. Of an endpoint that is off only a test is sent.
--
-- A cursor that became unknown is replaced by one that misses nothing. Changes then come again, under the same event_id: that is
-- made of what never changes of them. Numbers alone wouldn't do: after a failover another change may have the same.

create or replace function counterfoil.take_webhooks(names text[], at_most integer, lease_seconds double precision)
returns table (
    endpoint integer, name text, url text, event_id text, lease_token integer, tries integer, body text, began_anew boolean
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    most_waiting constant integer := 1000;
    failures_that_stop constant integer := 20;
    page_size constant integer := 200;
    pages_at_most constant integer := 5;
    probe_interval constant interval := '1 minute';
    e counterfoil.webhook_endpoints;
    waiting bigint;
    is_stopped boolean;
    has_begun_anew boolean;
    page_limit integer;
    found_changes bigint;
    next_cursor text;
    room integer;
    claimed integer;
begin
    for e in
        select w.* from counterfoil.webhook_endpoints w where w.name = any (take_webhooks.names)
        order by w.number
        for no key update skip locked
    loop
        has_begun_anew := false;
        for page in 1..pages_at_most loop
            exit when e.off_since is not null;
            waiting := (
                select count(*)
                from (select from counterfoil.webhook_events v where v.endpoint = e.number limit most_waiting) few
            );
            is_stopped := waiting >= most_waiting or e.failures >= failures_that_stop and exists (
                select from counterfoil.webhook_events v where v.endpoint = e.number and v.next_at < 'infinity'
            );
            exit when is_stopped;
            page_limit := least(page_size, most_waiting - waiting);
            begin
                with page as materialized (
                    select c.*, k.key
                    from counterfoil.changes_since(e.cursor, page_limit) c
                    cross join lateral (
                        select coalesce(
                            'order ' || c.order_id, case when c.transaction_id is null then 'account ' || c.account_id end,
                            concat_ws(' ', 'payment', c.bundle_id, c.environment, c.transaction_id)
                        ) as key
                    ) k
                ), wanted as (
                    select p.*, row_number() over (partition by p.key order by p.id) as place
                    from page p
                    where coalesce(p.bundle_id = any (e.bundle_ids), e.bundle_ids is null)
                        and coalesce(p.kind = any (e.kinds), e.kinds is null)
                ), kept as (
                    insert into counterfoil.webhook_events (endpoint, event_id, change_id, key, changed_at, body, next_at)
                    select
                        e.number,
                        concat(
                            w.id, '_',
                            left(
                                encode(
                                    sha256(
                                        convert_to(
                                            concat_ws(
                                                '/', floor(extract(epoch from w.at) * 1000000)::bigint,
                                                case when w.order_version is null then w.transaction_id else w.order_id end
                                            ), 'UTF8')),
                                    'hex'),
                                16)),
                        w.id, w.key, w.at, counterfoil.webhook_body(w.kind, w.at, to_jsonb(w)),
                        case
                            when w.place > 1 or exists (
                                select from counterfoil.webhook_events v where v.endpoint = e.number and v.key = w.key
                            ) then 'infinity'
                            else clock_timestamp()
                        end
                    from wanted w
                    order by w.id
                    on conflict on constraint webhook_events_pkey do nothing
                )
                select count(*), (array_agg(p.next_cursor order by p.id desc))[1] into found_changes, next_cursor from page p;
            exception when sqlstate 'ZCU01' then
                next_cursor := counterfoil.changes_from_cursor(e.cursor);
                found_changes := page_limit;
                has_begun_anew := true;
                e.began_anew_at := clock_timestamp();
            end;
            if found_changes < page_limit then
                e.read_at := clock_timestamp();
            end if;
            e.cursor := coalesce(next_cursor, e.cursor);
            exit when found_changes < page_limit;
        end loop;

        e.allowance := least(
            greatest(1, e.pace),
            e.allowance + greatest(0, extract(epoch from clock_timestamp() - e.allowance_at)::double precision) * e.pace);
        e.allowance_at := clock_timestamp();
        room := least(
            take_webhooks.at_most,
            e.in_flight - (
                select count(*)
                from counterfoil.webhook_events v
                where v.endpoint = e.number and v.next_at < 'infinity' and v.lease_expires_at > clock_timestamp()
            ),
            case when e.paused_until <= clock_timestamp() and e.off_since is null then floor(e.allowance)::integer else 0 end
        );
        claimed := 0;
        for event_id, lease_token, tries, body in
            with due as (
                (
                    select v.event_id
                    from counterfoil.webhook_events v
                    where v.endpoint = e.number and v.next_at <= clock_timestamp() and v.change_id >= 0
                        and coalesce(v.lease_expires_at <= clock_timestamp(), true)
                    order by v.next_at, v.change_id
                    limit greatest(room, 0)
                )
                union
                (
                    select v.event_id
                    from counterfoil.webhook_events v
                    where v.endpoint = e.number and v.next_at < 'infinity' and v.change_id >= 0 and room > 0
                        and e.failures >= failures_that_stop and e.probe_at <= clock_timestamp()
                        and coalesce(v.lease_expires_at <= clock_timestamp(), true)
                    order by v.next_at, v.change_id
                    limit 1
                )
                union all
                select v.event_id
                from counterfoil.webhook_events v
                where v.endpoint = e.number and v.next_at <= clock_timestamp() and v.change_id < 0
                    and coalesce(v.lease_expires_at <= clock_timestamp(), true)
            )
            update counterfoil.webhook_events v
            set lease_token = v.lease_token + 1,
                lease_expires_at = clock_timestamp() + make_interval(secs => take_webhooks.lease_seconds)
            from due d
            where v.endpoint = e.number and v.event_id = d.event_id
            returning v.event_id, v.lease_token, v.tries, v.body
        loop
            endpoint := e.number;
            name := e.name;
            url := e.url;
            began_anew := has_begun_anew;
            claimed := claimed + 1;
            return next;
        end loop;
        if has_begun_anew and claimed = 0 then
            -- The worker logs it.
            endpoint := e.number;
            name := e.name;
            url := null;
            event_id := null;
            began_anew := true;
            return next;
        end if;

        -- Not each time: an idle endpoint costs no row version.
        update counterfoil.webhook_endpoints w
        set cursor = e.cursor, read_at = e.read_at, began_anew_at = e.began_anew_at, allowance = e.allowance - claimed,
            allowance_at = e.allowance_at,
            probe_at = case
                when claimed > 0 and e.failures >= failures_that_stop then clock_timestamp() + probe_interval
                else w.probe_at
            end
        where w.number = e.number
            and (claimed > 0 or has_begun_anew or w.cursor <> e.cursor or e.read_at > w.read_at + interval '5 seconds');
    end loop;
end
$$;
comment on function counterfoil.take_webhooks(text[], integer, double precision) is
    'Private: reads the feed for endpoints, and claims the events to send now.';
grant execute on function counterfoil.take_webhooks(text[], integer, double precision) to counterfoil_worker;
